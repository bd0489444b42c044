import { readlinkSync, realpathSync } from "node:fs";
import { basename } from "node:path";

import { pause } from "#contract/lib/pause.ts";
import { attempt } from "#node/attempt.ts";
import { readProcessStat, sendSignal } from "#node/processes.ts";
import {
  AFTER_KILL_MS,
  commandLineOf,
  isSameProcess,
  INSTANCE_MARKER,
  livingPids,
  type ProcessId,
  SEARCH_PAUSE_MS,
  SEARCH_ROUNDS,
  variableOf,
  waitWhile,
} from "#build/process/process-table.ts";

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

/**
 * Ends the processes that an activate command left running: SIGTERM, the grace period, SIGKILL. A process that also
 * runs other projects' processes, such as a shared pm2, is not ended.
 * @returns the processes that were found
 */
export async function endLeftProcesses(trace: Trace, graceMs: number): Promise<readonly LeftProcess[]> {
  const found = await findAllLeftProcesses(trace);
  signalAll(found, "SIGTERM");
  await waitWhile(() => found.some(isSameProcess), graceMs);
  // The processes may have started others in the meantime.
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const left = await findAllLeftProcesses(trace);
    if (left.length === 0) break;
    signalAll(left, "SIGKILL");
    await waitWhile(() => left.some(isSameProcess), AFTER_KILL_MS);
  }
  return found;
}

/** Searches until no process is starting a program, because it cannot be identified while it does. */
async function findAllLeftProcesses(trace: Trace): Promise<readonly LeftProcess[]> {
  for (let round = 1; ; round += 1) {
    const { found, isComplete } = findLeftProcesses(trace);
    if (isComplete || round === SEARCH_ROUNDS) return found;
    await pause(SEARCH_PAUSE_MS);
  }
}

/**
 * All living processes that match the trace, except instances of apps, which their supervisor ends, and processes with
 * a descendant whose variable has another value.
 */
function findLeftProcesses({ name, hasValue, folder: path }: Trace): {
  readonly found: readonly LeftProcess[];
  readonly isComplete: boolean;
} {
  let isComplete = true;
  const folder = path === null ? null : attempt(() => realpathSync(path), path);
  const found: LeftProcess[] = [];
  const shared = new Set<number>();
  for (const pid of livingPids()) {
    if (pid === process.pid) continue;
    const { value, isInTransit } = variableOf(pid, name);
    if (isInTransit) isComplete = false;
    const stat = readProcessStat(pid);
    if (stat === null || stat.isDead) continue;
    const isMarked = value !== null && hasValue(value) && variableOf(pid, INSTANCE_MARKER).value === null;
    if (isMarked || (value === null && folder !== null && worksIn(pid, folder)))
      found.push({ pid, start_time: stat.startTime, program: programOf(pid) });
    else if (value !== null) for (const ancestor of ancestorsOf(stat.parent)) shared.add(ancestor);
  }
  return { found: found.filter(({ pid }) => !shared.has(pid)), isComplete };
}

function programOf(pid: number): string {
  return basename(commandLineOf(pid)?.split(" ")[0] ?? "");
}

function worksIn(pid: number, folder: string): boolean {
  const path = attempt(() => readlinkSync(`/proc/${pid}/cwd`), null);
  return path !== null && `${path}/`.startsWith(`${folder}/`);
}

function ancestorsOf(pid: number): readonly number[] {
  const ancestors: number[] = [];
  for (let at = pid; at > 1 && !ancestors.includes(at); at = readProcessStat(at)?.parent ?? 0)
    ancestors.push(at);
  return ancestors;
}

function signalAll(processes: readonly LeftProcess[], signal: NodeJS.Signals): void {
  for (const left of processes) if (isSameProcess(left)) sendSignal(left.pid, signal);
}
