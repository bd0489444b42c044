import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

import { attempt } from "#node/attempt.ts";
import { readProcessStat, sendSignal, signalGroup } from "#node/processes.ts";
import { pause } from "#contract/lib/pause.ts";

/**
 * Identifies a process over time: its pid and its start time in clock ticks since boot. Pids are reused, the pair is
 * not. `start_time` is `null` when there is no /proc.
 */
export type ProcessId = { readonly pid: number; readonly start_time: string | null };

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
  const text = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), null);
  return text === null ? null : text.replaceAll("\0", " ").trim();
}

/**
 * Changes with every boot, when start times count from zero again. In a container it also differs between a systemd
 * unit with its own /proc and other processes. `null` when there is no /proc.
 */
export function bootId(): string | null {
  return attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim(), null);
}

/** The pids of all visible processes; empty when there is no /proc. */
export function livingPids(): readonly number[] {
  return attempt(() => readdirSync("/proc"), [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** An environment variable of a process; `null` when the process does not have it. */
export type ProcessVariable = {
  readonly value: string | null;
  /** Whether another look may give another answer: the process is starting a program, or has just ended. */
  readonly isInTransit: boolean;
};

/**
 * Reads an environment variable of a process. While a process starts a program, the kernel shows neither its arguments
 * nor its environment: execve(2) sets them last. A process that has ended may have left a child that was not yet listed.
 */
export function variableOf(pid: number, name: string): ProcessVariable {
  let text = environmentOf(pid);
  if (text === null) return { value: null, isInTransit: !existsSync(`/proc/${pid}`) };
  if (text === "") {
    const isKernelThread = attempt(() => readlinkSync(`/proc/${pid}/exe`), null) === null;
    if (commandLineOf(pid) === "" && !isKernelThread) return { value: null, isInTransit: true };
    // The start may have ended between the two reads.
    text = environmentOf(pid) ?? "";
  }
  const entry = text.split("\0").find((variable) => variable.startsWith(`${name}=`));
  return { value: entry?.slice(name.length + 1) ?? null, isInTransit: false };
}

function environmentOf(pid: number): string | null {
  return attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8"), null);
}

/** How long to wait for a process after SIGKILL. A process that has not ended by then hangs in the kernel. */
export const AFTER_KILL_MS = 5_000;
const POLL_MS = 15;

export async function waitWhile(isAlive: () => boolean, longestMs: number, pollMs = POLL_MS): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestMs && isAlive(); waitedMs += pollMs) await pause(pollMs);
}

/** Whether a process of the group still runs. Processes that have ended and wait to be collected do not count. */
export function isGroupAlive(group: number): boolean {
  if (!attempt(() => process.kill(-group, 0), false)) return false;
  const pids = livingPids();
  if (pids.length === 0) return true;
  return pids.some((pid) => {
    const stat = readProcessStat(pid);
    return stat !== null && stat.group === group && !stat.isDead;
  });
}

/** The environment variable that identifies the processes of a run, even after they left their process group. */
export const RUN_MARKER = "GANTRY_RUN_ID";

/** The environment variable with the name of the instance of an app that a process belongs to. */
export const INSTANCE_MARKER = "GANTRY_INSTANCE";

/** The pids of all processes with this run's marker in their environment, except this one. */
export function processesOfRun(runId: string): readonly number[] {
  return livingPids().filter((pid) => pid !== process.pid && variableOf(pid, RUN_MARKER).value === runId);
}

/** How often processes are searched for, at most, and the pause in which processes may finish their start. */
export const SEARCH_ROUNDS = 20;
export const SEARCH_PAUSE_MS = 5;

/** Kills the processes with the run's marker. */
export async function killProcessesOfRun(runId: string): Promise<void> {
  await killMarkedProcesses((marker) => marker === runId);
}

/** Kills the processes whose marker matches. They may fork in the meantime, so it repeats until all are gone. */
export async function killMarkedProcesses(isWanted: (marker: string) => boolean): Promise<void> {
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    let isComplete = true;
    for (const pid of livingPids()) {
      if (pid === process.pid) continue;
      const { value, isInTransit } = variableOf(pid, RUN_MARKER);
      const isFound = value !== null && isWanted(value);
      if (isFound) sendSignal(pid, "SIGKILL");
      if (isFound || isInTransit) isComplete = false;
    }
    if (isComplete) return;
    await pause(SEARCH_PAUSE_MS);
  }
}

/** Kills a process group, identified by its leader, that an earlier agent process recorded, if its number still belongs to the same processes. */
export function killNotedGroup(group: ProcessId, notedBootId: string | null): void {
  if (notedBootId !== bootId()) return;
  const startTime = startTimeOf(group.pid);
  // When the leader has ended, the group cannot be identified. Its processes are found by their marker instead.
  if (startTime === null || startTime !== group.start_time) return;
  signalGroup(group.pid, "SIGKILL");
}
