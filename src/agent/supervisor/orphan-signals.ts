import type { ProcessId } from "#build/process/process-table.ts";
import { hasOwnNumber, signalGroupOf } from "#agent/supervisor/members.ts";
import { readProcessTable } from "#agent/supervisor/process-tree.ts";
import type { StopSignal } from "#contract/endpoints/processes/process-settings.ts";
import { catchesSignal, sendSignal } from "#node/processes.ts";

/** Sends a stop signal to what an ended leader has left in its group. */
export type OrphanSignals = {
  /** Call it until the group has ended: the end of an orphan may leave others. */
  send(): void;
};

/**
 * Each process gets the signal once, when its parent has ended. A process whose parent still runs gets it from its parent,
 * as the programs of npm do, or after it. Created before the leader gets the signal.
 */
export function createOrphanSignals(leader: ProcessId, signal: StopSignal): OrphanSignals {
  const catching = new Set([...parentsInGroup(leader).keys()].filter((pid) => catchesSignal(pid, signal)));
  const signalled = new Set<number>();
  let isGroupSignalled = false;

  return {
    send() {
      const parents = parentsInGroup(leader);
      // Without /proc.
      if (parents.size === 0 && !isGroupSignalled) {
        isGroupSignalled = true;
        signalGroupOf(leader, signal);
      }
      for (const [pid, parent] of parents) {
        if (signalled.has(pid) || parents.has(parent)) continue;
        signalled.add(pid);
        // Without its handler, it has got the signal from its parent and is finishing. A second one would end it at once.
        if (!catching.has(pid) || catchesSignal(pid, signal)) sendSignal(pid, signal);
      }
    },
  };
}

/** The living processes of a leader's group, with their parents. Empty without /proc. */
function parentsInGroup(leader: ProcessId): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  if (!hasOwnNumber(leader)) return parents;
  for (const [pid, { group, parent }] of readProcessTable())
    if (group === leader.pid) parents.set(pid, parent);
  return parents;
}
