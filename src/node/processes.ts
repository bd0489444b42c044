import { readFileSync } from "node:fs";

import { attempt } from "#node/attempt.ts";

type ProcessStat = {
  /** Ended, but not yet collected by its parent. */
  readonly isDead: boolean;
  readonly parent: number;
  readonly group: number;
  /** In clock ticks since boot. */
  readonly startTime: string;
};

/**
 * Reads the kernel's status of a process.
 * @returns null if there is no such process or no /proc
 * Source: proc_pid_stat(5). The name in field 2 may contain spaces and parentheses, so fields are counted after it.
 */
export function readProcessStat(pid: number): ProcessStat | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, startTime] = [fields[0], fields[1], fields[2], fields[19]];
  if (startTime === undefined) return null;
  return { isDead: state === "Z" || state === "X", parent: Number(parent), group: Number(group), startTime };
}

/** Sends a signal to a process. Does nothing if it has ended, or belongs to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  attempt(() => process.kill(pid, signal), false);
}

/** As `sendSignal`, to every process of a group. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}
