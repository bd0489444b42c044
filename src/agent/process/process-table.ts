import { readdirSync, readFileSync } from "node:fs";

/**
 * A process as it can be found again: its pid, and when it started, in clock ticks since boot. A pid is given out
 * again, a pair of both is not. `start_time` is `null` where there is no /proc.
 */
export type ProcessId = { readonly pid: number; readonly start_time: string | null };

/** A process group of ours by its leader, whose pid is the group's number. */
export type ProcessGroup = ProcessId;

export type Stat = {
  /** It has ended, and only waits to be collected. */
  readonly isDead: boolean;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
};

/**
 * @returns `null` where there is no such process, or no /proc
 * Source: proc_pid_stat(5). The name in field 2 may hold spaces and parentheses, so fields count from its last one.
 */
export function readStat(pid: number): Stat | null {
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

/** Whether the process still runs. Another one that was given its pid is not the same. */
export function isSameProcess({ pid, start_time }: ProcessId): boolean {
  const stat = readStat(pid);
  return stat !== null && !stat.isDead && stat.startTime === start_time;
}

/** In clock ticks since boot, as `start_time` of a group; null: no such process, or no /proc. */
export function startTimeOf(pid: number): string | null {
  return readStat(pid)?.startTime ?? null;
}

/** What a process was started with. `null`: no such process, no /proc, or it belongs to somebody else and is hidden. */
export function commandLineOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return null;
  }
}

/**
 * Differs after every boot, when start times count from zero again. In a container it also differs between a systemd unit
 * that has a /proc of its own and everybody else. `null` where there is no /proc.
 */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
}

/** Every process that can be seen; empty where there is no /proc. */
export function livingPids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Whether anything of the group still runs. What is dead and only waits to be collected does not count. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const pids = livingPids();
  if (pids.length === 0) return true;
  return pids.some((pid) => {
    const stat = readStat(pid);
    return stat !== null && stat.group === group && !stat.isDead;
  });
}

/** Sends a signal to a whole group. A group that is gone is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Gone, which is what was wanted.
  }
}

/** The name of the variable by which the processes of a run are found even after they left their group. */
export const RUN_MARKER = "GANTRY_RUN_ID";

/** Every living process that was started with this run's marker in its environment, besides this one. */
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

/** Kills the processes that carry the run's marker. They may fork meanwhile, so it looks again until none is left. */
export function killProcessesOfRun(runId: string): void {
  for (let round = 0; round < 10; round += 1) {
    const pids = processesOfRun(runId);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Ended by itself meanwhile.
      }
    }
  }
}

/** Kills a group noted in an earlier life of the agent, but only if its number still means the same processes. */
export function killNotedGroup(group: ProcessGroup, notedBootId: string | null): void {
  if (notedBootId !== bootId()) return;
  const startTime = startTimeOf(group.pid);
  // With the leader gone its number stays taken while anything of the group lives; the marker finds those.
  if (startTime === null || startTime !== group.start_time) return;
  signalGroup(group.pid, "SIGKILL");
}
