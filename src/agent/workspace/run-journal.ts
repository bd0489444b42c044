import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import * as z from "zod/mini";

import { attempt } from "#node/attempt.ts";
import type { GroupLedger } from "#build/process/run-process.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { RunResult } from "#contract/agent-events.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { ActiveRun } from "#contract/agent-protocol.ts";
import { DeploymentStage } from "#contract/endpoints/deployments/schemas.ts";
import { storedAs } from "#contract/stored.ts";

/**
 * The state of a run, for recovery if the agent dies. `preparing`: `current` is unchanged. `switching`: `current` may
 * point to the new release, which is not verified. `decided`: the run has ended, and its result may not be delivered
 * yet.
 */
const Phase = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("preparing") }),
  z.strictObject({ kind: z.literal("switching"), previous: z.nullable(ReleaseVersion) }),
  z.strictObject({ kind: z.literal("decided"), result: RunResult }),
]);
export type Phase = z.infer<typeof Phase>;

export const JournalEntry = z.strictObject({
  run: ActiveRun,
  boot_id: z.nullable(z.string()),
  stage: DeploymentStage,
  /** The release that this run builds; `null` when it switches to an existing one. */
  builds: z.nullable(ReleaseVersion),
  activate_seconds: z.number(),
  phase: Phase,
  groups: z.array(z.strictObject({ pid: z.int(), start_time: z.nullable(z.string()) })),
});
export type JournalEntry = z.infer<typeof JournalEntry>;
const storedEntry = storedAs(JournalEntry);

/**
 * The journal of the project's current run. Every change except `closed` is in its file before the call returns. A power
 * cut may lose it and leave the file empty.
 */
export type RunJournal = GroupLedger & {
  /** @throws when the disk is full */
  record(change: Partial<Pick<JournalEntry, "stage" | "builds" | "phase">>): void;
  /**
   * Records the run's result.
   * @returns false when the disk is full. The result is reported anyway; it is lost only if the agent dies now.
   */
  decide(result: RunResult): boolean;
  /** Deletes the journal, unless a later run uses it already. Never throws. */
  remove(): void;
};

/** Opens the project's journal for a run. @throws when the disk is full */
export function openJournal(folder: ProjectFolder, first: JournalEntry): RunJournal {
  const journal = continueJournal(folder, first);
  journal.record({});
  return journal;
}

/** Continues the journal that an earlier agent process left; its file is unchanged. */
export function continueJournal(folder: ProjectFolder, left: JournalEntry): RunJournal {
  let entry = left;
  let isRemoved = false;
  const save = (change: Partial<JournalEntry>, flush = false): void => {
    entry = { ...entry, ...change };
    if (isRemoved) return;
    // Synchronous, because a started process that is not recorded would be lost if the agent died. Not flushed: a dying
    // agent loses nothing without it, and after a power cut there is no process to find. Only a verdict must be on disk
    // before the changes that depend on it.
    const draft = `${folder.journal}.tmp`;
    try {
      writeFileSync(draft, JSON.stringify(entry), { flush });
      renameSync(draft, folder.journal);
    } catch (error) {
      // On a full disk the draft is incomplete; the previous journal stays.
      rmSync(draft, { force: true });
      throw error;
    }
  };
  return {
    record: (change) => save(change),
    decide(result) {
      try {
        save({ phase: { kind: "decided", result } }, result.outcome === "live");
        return true;
      } catch {
        return false;
      }
    },
    // On a full disk the command still runs, and its processes are found by their marker.
    opened: (group) => attempt(() => save({ groups: [...entry.groups, group] }), undefined),
    // Written with the next change: a group whose leader has ended is not signaled, and its number is not mistaken for
    // a later process's number, because of the start time.
    closed(group) {
      entry = { ...entry, groups: entry.groups.filter((other) => other.pid !== group.pid) };
    },
    remove() {
      isRemoved = true;
      if (readJournal(folder)?.run.run_id !== entry.run.run_id) return;
      // On a read-only disk the file stays: the next start reports the result again, and the control plane answers
      // `ended`.
      attempt(() => rmSync(folder.journal), null);
    },
  };
}

/** @returns `null` when there is no interrupted run, or its journal cannot be read */
export function readJournal(folder: ProjectFolder): JournalEntry | null {
  return attempt(() => storedEntry.parse(JSON.parse(readFileSync(folder.journal, "utf8"))), null);
}
