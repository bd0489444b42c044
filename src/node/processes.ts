import { readFileSync } from "node:fs";

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
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group, startTime] = [fields[0], fields[1], fields[2], fields[19]];
    if (state === undefined || startTime === undefined) return null;
    return {
      isDead: state === "Z" || state === "X",
      parent: Number(parent),
      group: Number(group),
      startTime,
    };
  } catch {
    return null;
  }
}

/** Sends a signal to every process of a group. Does nothing if the group has ended. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group has ended.
  }
}
