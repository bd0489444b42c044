import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectTurns } from "#agent/run/project-turns.ts";
import { nextCheckSeconds } from "#agent/watch/next-check.ts";
import { readTip } from "#agent/watch/read-tip.ts";
import type { Tip, TipReading } from "#agent/watch/tip.ts";
import type { FromAgent } from "#contract/agent-protocol.ts";
import type { WatchedBranch } from "#contract/agent-watch.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** More branches at once are not read. The others wait. */
const MAX_AT_ONCE = 2;
/** When to try again after a run of the project, or a branch of another one, was more urgent. */
const BUSY_SECONDS = 30;

/** Looks for pushes: reads branches on a timer, and tells the control plane when one has another commit than it knows. */
export type BranchWatch = {
  /** Watches these branches from now on. Branches that were watched before keep their times. */
  set(branches: readonly WatchedBranch[]): void;
  forget(project: ProjectId): void;
};

/** What the agent remembers of a branch while it runs. The control plane sends the rest again after each hello. */
type Entry = {
  watched: WatchedBranch;
  timer: NodeJS.Timeout | null;
  isReading: boolean;
  failures: number;
  /** The commit that the last reading found; null: none yet. */
  tip: string | null;
  /** Whether the tip was found, and is about to be read once more before it is reported. */
  isSettling: boolean;
  isReported: boolean;
};

/** @param ended aborted when the agent ends */
export function createBranchWatch(
  context: AgentContext,
  turns: ProjectTurns,
  send: (message: FromAgent) => void,
  ended: AbortSignal,
): BranchWatch {
  const entries = new Map<ProjectId, Entry>();
  let reading = 0;

  function schedule(entry: Entry, seconds: number): void {
    if (entry.timer !== null) clearTimeout(entry.timer);
    if (ended.aborted || entries.get(entry.watched.project_id) !== entry) return;
    const ms = seconds * context.settings.watchSecondMs;
    entry.timer = setTimeout(() => {
      entry.timer = null;
      void check(entry);
    }, ms);
  }

  async function check(entry: Entry): Promise<void> {
    const { project_id } = entry.watched;
    if (reading >= MAX_AT_ONCE || turns.isHeld(project_id)) return schedule(entry, BUSY_SECONDS * chance());
    reading += 1;
    entry.isReading = true;
    const { watched } = entry;
    const result = await readInTurn(watched).catch((error: unknown): TipReading => ({
      kind: "failed",
      message: messageOf(error),
    }));
    reading -= 1;
    entry.isReading = false;
    // Meanwhile the control plane has learned of another commit, and the files were compared with the commit before.
    const isOutdated = entry.watched !== watched;
    schedule(entry, isOutdated ? watched.settle_seconds * chance() : noteReading(entry, result));
  }

  async function readInTurn(watched: WatchedBranch): Promise<TipReading> {
    const turn = await turns.acquire(watched.project_id);
    // The project counts as free. A run that waits ends the reading.
    turn.rest();
    try {
      return await readTip(context, watched, AbortSignal.any([turn.wanted, ended]));
    } finally {
      turn.end();
    }
  }

  /** @returns after how many seconds the branch is read again */
  function noteReading(entry: Entry, result: TipReading): number {
    const { watched } = entry;
    const { every_seconds: every, settle_seconds: settle } = watched;
    if (result.kind === "stopped") return BUSY_SECONDS * chance();
    if (result.kind === "failed") {
      if (entry.failures === 0)
        context.log(
          `${watched.project_name}: looking for pushes to ${watched.branch} failed: ${result.message}`,
        );
      entry.failures += 1;
      return nextCheckSeconds(every, entry.failures, context.random());
    }
    if (entry.failures > 0) context.log(`${watched.project_name}: ${watched.branch} can be read again`);
    entry.failures = 0;
    if (result.kind === "read" && note(entry, result.tip)) return settle;
    return nextCheckSeconds(every, 0, context.random());
  }

  /** @returns whether to read the branch again soon: a hook may be about to report the push */
  function note(entry: Entry, tip: Tip): boolean {
    const { watched } = entry;
    if (tip.sha !== entry.tip) entry.isReported = false;
    entry.tip = tip.sha;
    if (tip.sha === watched.known_sha || entry.isReported) return (entry.isSettling = false);
    entry.isSettling = !entry.isSettling && watched.settle_seconds > 0;
    if (entry.isSettling) return true;
    entry.isReported = true;
    context.log(`${watched.project_name}: ${watched.branch} has moved to ${tip.sha.slice(0, 12)}`);
    send({
      type: "tip_moved",
      project_id: watched.project_id,
      repository: watched.repository,
      branch: watched.branch,
      before: watched.known_sha,
      commit_sha: tip.sha,
      commit_message: tip.message,
      paths: tip.paths === null ? null : [...tip.paths],
    });
    return false;
  }

  /** From a half to one, so that branches that waited for the same thing are not read at the same time. */
  function chance(): number {
    return 0.5 + context.random() / 2;
  }

  function forget(project: ProjectId): void {
    const entry = entries.get(project);
    entries.delete(project);
    if (entry?.timer != null) clearTimeout(entry.timer);
  }

  function watch(watched: WatchedBranch): void {
    const entry = entries.get(watched.project_id);
    if (entry !== undefined && isSameBranch(entry.watched, watched)) {
      entry.watched = watched;
      // The control plane does not know of this tip: the report was lost, or it came too late.
      if (entry.tip === watched.known_sha || !entry.isReported) return;
      entry.isReported = false;
      if (entry.isReading) return;
      return schedule(entry, watched.settle_seconds * chance());
    }
    forget(watched.project_id);
    const flags = { isReading: false, isSettling: false, isReported: false };
    const added = { watched, timer: null, failures: 0, tip: null, ...flags };
    entries.set(watched.project_id, added);
    schedule(added, watched.every_seconds * context.random());
  }

  ended.addEventListener("abort", () => [...entries.keys()].forEach(forget), { once: true });

  return {
    set(branches) {
      const named = new Set(branches.map(({ project_id }) => project_id));
      for (const id of entries.keys()) if (!named.has(id)) forget(id);
      branches.forEach(watch);
    },
    forget,
  };
}

/** Whether an answer about one branch is true for the other branch. */
function isSameBranch(one: WatchedBranch, other: WatchedBranch): boolean {
  const { known_sha: _one, ...settings } = one;
  const { known_sha: _other, ...others } = other;
  return JSON.stringify(settings) === JSON.stringify(others);
}
