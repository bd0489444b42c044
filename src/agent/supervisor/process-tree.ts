import { readFileSync } from "node:fs";

import { livingPids } from "#build/process/process-table.ts";
import { attempt } from "#node/attempt.ts";
import { type ProcessStat, readProcessStat } from "#node/processes.ts";

/** All visible processes by their pids, without ended processes. Empty without /proc. */
export type ProcessTable = ReadonlyMap<number, ProcessStat>;

export function readProcessTable(): ProcessTable {
  const table = new Map<number, ProcessStat>();
  for (const pid of livingPids()) {
    const stat = readProcessStat(pid);
    if (stat !== null && !stat.isDead) table.set(pid, stat);
  }
  return table;
}

/**
 * The processes in the sessions of these leaders, and their descendants in other sessions.
 * @returns the pids by leader
 */
export function treesOf(table: ProcessTable, leaders: ReadonlySet<number>): ReadonlyMap<number, number[]> {
  const trees = new Map<number, number[]>();
  for (const pid of table.keys()) {
    const leader = leaderOf(pid, table, leaders);
    if (leader === null) continue;
    const tree = trees.get(leader);
    if (tree === undefined) trees.set(leader, [pid]);
    else tree.push(pid);
  }
  return trees;
}

/** More ancestors than any process has. The table changes while it is read, so it could contain a circle. */
const MAX_DEPTH = 1000;

function leaderOf(pid: number, table: ProcessTable, leaders: ReadonlySet<number>): number | null {
  let at = pid;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const stat = table.get(at);
    if (stat === undefined || at === process.pid) return null;
    if (leaders.has(at)) return at;
    if (leaders.has(stat.session)) return stat.session;
    at = stat.parent;
  }
  return null;
}

/** The memory and the CPU time of processes; null without /proc. Memory that they share counts for each of them. */
export function usageOf(
  table: ProcessTable,
  pids: readonly number[],
): { readonly memoryBytes: number | null; readonly cpuMs: number | null } {
  if (table.size === 0) return { memoryBytes: null, cpuMs: null };
  let memoryBytes = 0;
  let cpuMs = 0;
  for (const pid of pids) {
    memoryBytes += residentBytes(pid);
    cpuMs += table.get(pid)?.cpuMs ?? 0;
  }
  return { memoryBytes, cpuMs };
}

function residentBytes(pid: number): number {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"), "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
