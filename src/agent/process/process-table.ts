import { readdirSync, readFileSync } from "node:fs";

import { readProcessStat, signalGroup } from "#node/processes.ts";

/**
 * Identifies a process over time: its pid and its start time in clock ticks since boot. Pids are reused, the pair is
 * not. `start_time` is `null` when there is no /proc.
 */
export type ProcessId = { readonly pid: number; readonly start_time: string | null };

/** A process group that the agent started, identified by its leader, whose pid is the group's number. */
export type ProcessGroup = ProcessId;

/** Whether this process still runs. Another process with the same pid does not count. */
export function isSameProcess({ pid, start_time }: ProcessId): boolean {
  const stat = readProcessStat(pid);
  return stat !== null && !stat.isDead && stat.startTime === start_time;
}

/** Start time in clock ticks since boot; `null` when there is no such process, or no /proc. */
export function startTimeOf(pid: number): string | null {
  return readProcessStat(pid)?.startTime ?? null;
}

/**
 * The command line of a process; `null` when there is no such process or no /proc, or another user's process is
 * hidden.
 */
export function commandLineOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return null;
  }
}

/**
 * Changes with every boot, when start times count from zero again. In a container it also differs between a systemd
 * unit with its own /proc and other processes. `null` when there is no /proc.
 */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
}

/** The pids of all visible processes; empty when there is no /proc. */
export function livingPids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Whether a process of the group still runs. Processes that have ended and wait to be collected do not count. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const pids = livingPids();
  if (pids.length === 0) return true;
  return pids.some((pid) => {
    const stat = readProcessStat(pid);
    return stat !== null && stat.group === group && !stat.isDead;
  });
}

/** The environment variable that identifies the processes of a run, even after they left their process group. */
export const RUN_MARKER = "GANTRY_RUN_ID";

/** The pids of all processes with this run's marker in their environment, except this one. */
export function processesOfRun(runId: string): readonly number[] {
  const marker = `${RUN_MARKER}=${runId}`;
  return livingPids().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(marker);
    } catch {
      return false;
    }
  });
}

/** Kills the processes with the run's marker. They may fork in the meantime, so it repeats until none is left. */
export function killProcessesOfRun(runId: string): void {
  for (let round = 0; round < 10; round += 1) {
    const pids = processesOfRun(runId);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended in the meantime.
      }
    }
  }
}

/** Kills a process group that an earlier agent process recorded, if its number still belongs to the same processes. */
export function killNotedGroup(group: ProcessGroup, notedBootId: string | null): void {
  if (notedBootId !== bootId()) return;
  const startTime = startTimeOf(group.pid);
  // When the leader has ended, the group cannot be identified. Its processes are found by their marker instead.
  if (startTime === null || startTime !== group.start_time) return;
  signalGroup(group.pid, "SIGKILL");
}
