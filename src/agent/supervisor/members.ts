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
import { type ProcessTable, readProcessTable, treesOf } from "#agent/supervisor/process-tree.ts";
import { pause } from "#contract/lib/pause.ts";
import { readProcessStat, sendSignal, signalGroup } from "#node/processes.ts";

/** The variable that identifies the processes of an instance that have left its session. */
export const SUPERVISED_MARKER = "GANTRY_SUPERVISED";

/** What identifies the processes of an instance. `leader`: its first process, null if it is not known. */
export type Traces = { readonly leader: ProcessId | null; readonly marker: string };

/**
 * Kills all processes of an instance: the processes of its session, their descendants, and the processes with its
 * marker.
 * @returns whether none is left
 */
export async function killMembers(traces: Traces): Promise<boolean> {
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    if (traces.leader !== null) signalGroupOf(traces.leader, "SIGKILL");
    const scan = await nextScan();
    const found = membersIn(scan, traces);
    for (const member of found) if (isSameProcess(member)) sendSignal(member.pid, "SIGKILL");
    await waitWhile(() => found.some(isSameProcess) || isLeaderGroupAlive(traces), AFTER_KILL_MS);
    if (found.some(isSameProcess) || isLeaderGroupAlive(traces)) return false;
    if (found.length === 0 && scan.isComplete) return true;
  }
  return membersIn(await nextScan(), traces).length === 0;
}

/** Sends a signal to the processes that the leader started and that have not left its group. */
export function signalGroupOf(leader: ProcessId, signal: NodeJS.Signals): void {
  if (hasOwnNumber(leader)) signalGroup(leader.pid, signal);
}

/** The pids of an instance's living processes. Empty without /proc. */
export async function membersOf(traces: Traces): Promise<readonly number[]> {
  return membersIn(await nextScan(), traces).map(({ pid }) => pid);
}

/** All processes, and which of them have a marker. */
type Scan = {
  readonly table: ProcessTable;
  readonly marked: ReadonlyMap<string, readonly number[]>;
  /** Whether no process was starting a program, because its marker cannot be read while it does. */
  readonly isComplete: boolean;
};

let pending: Promise<Scan> | null = null;

/**
 * Reads all processes of this machine. Calls within a few milliseconds share a scan, because many instances may start or
 * end at the same time.
 */
function nextScan(): Promise<Scan> {
  pending ??= pause(SEARCH_PAUSE_MS).then(() => {
    pending = null;
    return scanNow();
  });
  return pending;
}

function scanNow(): Scan {
  const table = readProcessTable();
  const marked = new Map<string, number[]>();
  let isComplete = true;
  for (const pid of table.keys()) {
    if (pid === process.pid) continue;
    const { value, isInTransit } = variableOf(pid, SUPERVISED_MARKER);
    if (isInTransit) isComplete = false;
    if (value !== null) marked.set(value, [...(marked.get(value) ?? []), pid]);
  }
  return { table, marked, isComplete };
}

function membersIn({ table, marked }: Scan, { leader, marker }: Traces): readonly ProcessId[] {
  const roots = new Set(marked.get(marker));
  if (leader !== null && hasOwnNumber(leader)) roots.add(leader.pid);
  if (roots.size === 0) return [];
  return [...treesOf(table, roots).values()]
    .flat()
    .map((pid) => ({ pid, start_time: table.get(pid)?.startTime ?? null }));
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
