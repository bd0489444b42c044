import { readFileSync } from "node:fs";
import { constants } from "node:os";

import { attempt } from "#node/attempt.ts";

export type ProcessStat = {
  /** Ended, but not yet collected by its parent. */
  readonly isDead: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The CPU time of the process and of its children that have ended, in milliseconds. */
  readonly cpuMs: number;
  /** In clock ticks since boot. */
  readonly startTime: string;
};

/** The unit of all times in /proc. Linux shows them in this unit on every processor. */
const TICKS_PER_SECOND = 100;

/**
 * Reads the kernel's status of a process.
 * @returns null if there is no such process or no /proc
 * Source: proc_pid_stat(5). The name in field 2 may contain spaces and parentheses, so fields are counted after it.
 */
export function readProcessStat(pid: number): ProcessStat | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session, startTime] = [fields[0], fields[1], fields[2], fields[3], fields[19]];
  if (startTime === undefined) return null;
  const cpuTicks = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return {
    isDead: state === "Z" || state === "X",
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    cpuMs: (cpuTicks * 1000) / TICKS_PER_SECOND,
    startTime,
  };
}

/** Whether a process has a handler for a signal. False if there is no such process or no /proc. */
export function catchesSignal(pid: number, signal: NodeJS.Signals): boolean {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"), "");
  const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return ((caught >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** Sends a signal to a process. Does nothing if it has ended, or belongs to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  attempt(() => process.kill(pid, signal), false);
}

/** As `sendSignal`, to every process of a group. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}
