import {
  AFTER_KILL_MS,
  isGroupAlive,
  isSameProcess,
  type ProcessId,
  SEARCH_PAUSE_MS,
  SEARCH_ROUNDS,
  variableOf,
  waitWhile,
} from "#build/process/process-table.ts";
import { readProcessTable, treesOf } from "#agent/supervisor/process-tree.ts";
import { pause } from "#contract/lib/pause.ts";
import { readProcessStat, sendSignal, signalGroup } from "#node/processes.ts";

/** The variable that identifies the processes of an instance that have left its session. */
export const INSTANCE_MARKER = "GANTRY_SUPERVISED";

/** What identifies the processes of an instance. `leader`: its first process, null if it is not known. */
export type Traces = { readonly leader: ProcessId | null; readonly marker: string };

/**
 * Kills all processes of an instance: those of its session, their descendants, and those with its marker.
 * @returns whether none is left
 */
export async function killMembers(traces: Traces): Promise<boolean> {
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    if (traces.leader !== null) signalGroupOf(traces.leader, "SIGKILL");
    const { found, isComplete } = findMembers(traces);
    if (found.length === 0 && isComplete) break;
    for (const member of found) if (isSameProcess(member)) sendSignal(member.pid, "SIGKILL");
    await waitWhile(() => found.some(isSameProcess), AFTER_KILL_MS);
    if (found.some(isSameProcess)) return false;
    if (found.length === 0) await pause(SEARCH_PAUSE_MS);
  }
  await waitWhile(() => isLeaderGroupAlive(traces), AFTER_KILL_MS);
  return findMembers(traces).found.length === 0 && !isLeaderGroupAlive(traces);
}

/** Sends a signal to the processes that the leader started and that have not left its group. */
export function signalGroupOf(leader: ProcessId, signal: NodeJS.Signals): void {
  if (hasOwnNumber(leader)) signalGroup(leader.pid, signal);
}

/** The pids of an instance's living processes. Empty without /proc. */
export function membersOf(traces: Traces): readonly number[] {
  return findMembers(traces).found.map(({ pid }) => pid);
}

function findMembers({ leader, marker }: Traces): {
  readonly found: readonly ProcessId[];
  readonly isComplete: boolean;
} {
  const table = readProcessTable();
  const roots = new Set<number>();
  if (leader !== null && hasOwnNumber(leader)) roots.add(leader.pid);
  let isComplete = true;
  for (const pid of table.keys()) {
    if (pid === process.pid) continue;
    const { value, isInTransit } = variableOf(pid, INSTANCE_MARKER);
    if (isInTransit) isComplete = false;
    if (value === marker) roots.add(pid);
  }
  const found = [...treesOf(table, roots).values()].flat();
  return {
    found: found.map((pid) => ({ pid, start_time: table.get(pid)?.startTime ?? null })),
    isComplete,
  };
}

/**
 * Whether the leader's pid still belongs to it or to nobody. No other process gets this pid while it is the number of a
 * session or a group, so the processes in that session are the instance's.
 */
export function hasOwnNumber(leader: ProcessId): boolean {
  const stat = readProcessStat(leader.pid);
  return stat === null || stat.startTime === leader.start_time;
}

function isLeaderGroupAlive({ leader }: Traces): boolean {
  return leader !== null && hasOwnNumber(leader) && isGroupAlive(leader.pid);
}
