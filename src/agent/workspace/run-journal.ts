import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import * as z from "zod/mini";

import type { GroupLedger } from "#agent/process/run-process.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { ActiveRun, ReleaseVersion, RunResult } from "#contract/agent-protocol.ts";
import { DeploymentStage } from "#contract/endpoints/deployments/schemas.ts";

/**
 * What has to be known of a run if the agent dies in it. `preparing`: `current` is untouched; `switching`: it may
 * point to the new release, which nobody has found good; `decided`: the run has ended, and its result may not have arrived.
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
  /** The release folder that this run makes; `null` when it only switches to one that was there. */
  builds: z.nullable(ReleaseVersion),
  activate_seconds: z.number(),
  phase: Phase,
  groups: z.array(z.strictObject({ pid: z.int(), start_time: z.nullable(z.string()) })),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/**
 * The journal of the run that works on the project now. Every change is in its file before the call returns; a power cut
 * may take it, and leave the file empty.
 */
export type RunJournal = GroupLedger & {
  /** @throws where the disk is full */
  note(change: Partial<Pick<JournalEntry, "stage" | "builds" | "phase">>): void;
  /**
   * Notes how the run has ended.
   * @returns false on a full disk. The result is on its way all the same; only the agent's death now would lose it.
   */
  decide(result: RunResult): boolean;
  /** Forgets the run, unless a later one has taken the journal over. Never throws. */
  remove(): void;
};

/** Takes the journal of the project over for a run. @throws where the disk is full */
export function openJournal(folder: ProjectFolder, first: JournalEntry): RunJournal {
  const journal = adoptJournal(folder, first);
  journal.note({});
  return journal;
}

/** Goes on with the journal that an earlier life of the agent has left; it is on the disk as it is. */
export function adoptJournal(folder: ProjectFolder, left: JournalEntry): RunJournal {
  let entry = left;
  let isRemoved = false;
  const save = (change: Partial<JournalEntry>): void => {
    entry = { ...entry, ...change };
    if (isRemoved) return;
    // Synchronous, because a process that was started but not noted yet would be lost with the agent. Not flushed: an
    // agent that dies loses nothing by that, and after a power cut there is no process to be found.
    const draft = `${folder.journal}.tmp`;
    try {
      writeFileSync(draft, JSON.stringify(entry));
      renameSync(draft, folder.journal);
    } catch (error) {
      // On a full disk the draft is half a journal; the one before stays as it is.
      rmSync(draft, { force: true });
      throw error;
    }
  };
  const saveGroups = (groups: JournalEntry["groups"]): void => {
    try {
      save({ groups });
    } catch {
      // On a full disk the command still runs, and its processes are found by their marker.
    }
  };
  return {
    note: save,
    decide(result) {
      try {
        save({ phase: { kind: "decided", result } });
        return true;
      } catch {
        return false;
      }
    },
    opened: (group) => saveGroups([...entry.groups, group]),
    closed: (group) => saveGroups(entry.groups.filter((other) => other.pid !== group.pid)),
    remove() {
      isRemoved = true;
      if (readJournal(folder)?.run.run_id !== entry.run.run_id) return;
      try {
        rmSync(folder.journal);
      } catch {
        // On a disk that has become read-only it stays: the next start tells the result again, and hears that it is over.
      }
    },
  };
}

/** @returns `null` when no run was left behind, or what is there cannot be read */
export function readJournal(folder: ProjectFolder): JournalEntry | null {
  try {
    return JournalEntry.parse(JSON.parse(readFileSync(folder.journal, "utf8")));
  } catch {
    return null;
  }
}
