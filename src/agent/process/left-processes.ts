import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename } from "node:path";

import { pause } from "#contract/lib/pause.ts";
import { readProcessStat } from "#node/processes.ts";
import { commandLineOf, isSameProcess, livingPids, type ProcessId } from "#agent/process/process-table.ts";

/** Identifies the processes that an activate command left running. */
export type Trace = {
  /** The name of a variable in their environment. */
  readonly name: string;
  readonly hasValue: (value: string) => boolean;
  /**
   * A folder that only these processes work in; `null` when others may. It identifies processes that cleared their
   * environment.
   */
  readonly folder: string | null;
};

/** `program`: the program's name without its arguments, which may contain secrets. */
export type LeftProcess = ProcessId & { readonly program: string };

const POLL_MS = 15;
const KILL_ROUNDS = 10;
/** A process that SIGKILL does not end within this time hangs in the kernel. */
const AFTER_KILL_MS = 5_000;

/**
 * Ends the processes that an activate command left running: SIGTERM, the grace period, SIGKILL. A process that also
 * runs other projects' processes, such as a shared pm2, is not ended.
 * @returns the processes that were found
 */
export async function endLeftProcesses(trace: Trace, graceMs: number): Promise<readonly LeftProcess[]> {
  const found = findLeftProcesses(trace);
  signalAll(found, "SIGTERM");
  await waitUntilGone(found, graceMs);
  // The processes may have started others in the meantime.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const left = findLeftProcesses(trace);
    if (left.length === 0) break;
    signalAll(left, "SIGKILL");
    await waitUntilGone(left, AFTER_KILL_MS);
  }
  return found;
}

/** All living processes that match the trace, except those with a descendant whose variable has another value. */
export function findLeftProcesses(trace: Trace): readonly LeftProcess[] {
  const folder = trace.folder === null ? null : realPath(trace.folder);
  const found: LeftProcess[] = [];
  const shared = new Set<number>();
  for (const pid of livingPids()) {
    const stat = readProcessStat(pid);
    if (stat === null || stat.isDead || pid === process.pid) continue;
    const value = variableOf(pid, trace.name);
    const isMarked = value !== null && trace.hasValue(value);
    if (isMarked || (value === null && folder !== null && worksIn(pid, folder)))
      found.push({ pid, start_time: stat.startTime, program: programOf(pid) });
    else if (value !== null) for (const ancestor of ancestorsOf(stat.parent)) shared.add(ancestor);
  }
  return found.filter(({ pid }) => !shared.has(pid));
}

/** @returns `null` when the variable does not exist or cannot be read */
function variableOf(pid: number, name: string): string | null {
  try {
    const prefix = `${name}=`;
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return variables.find((variable) => variable.startsWith(prefix))?.slice(prefix.length) ?? null;
  } catch {
    return null;
  }
}

function programOf(pid: number): string {
  return basename(commandLineOf(pid)?.split(" ")[0] ?? "");
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}

function ancestorsOf(pid: number): readonly number[] {
  const ancestors: number[] = [];
  for (let at = pid; at > 1 && !ancestors.includes(at); at = readProcessStat(at)?.parent ?? 0)
    ancestors.push(at);
  return ancestors;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function signalAll(processes: readonly LeftProcess[], signal: NodeJS.Signals): void {
  for (const left of processes) {
    if (!isSameProcess(left)) continue;
    try {
      process.kill(left.pid, signal);
    } catch {
      // It has ended in the meantime, or belongs to another user.
    }
  }
}

async function waitUntilGone(processes: readonly LeftProcess[], longestMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestMs && processes.some(isSameProcess); waitedMs += POLL_MS)
    await pause(POLL_MS);
}
