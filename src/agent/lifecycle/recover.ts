import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import { commitDesired, discardNextDesired, readNextDesired } from "#agent/apps/desired.ts";
import { recoverJobs } from "#agent/workspace/live-jobs.ts";
import { tidyNotes } from "#agent/apps/instance-notes.ts";
import { switchTrafficBack } from "#agent/run/activate/switch-instances.ts";
import { endBuild } from "#agent/lifecycle/end-builds.ts";
import { killNotedGroup } from "#build/process/process-table.ts";
import { readCacheIndex } from "#agent/cache/cache-index.ts";
import { tidyCacheFolder } from "#agent/cache/cache-folder.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { recoverPlace } from "#agent/workspace/live-place.ts";
import { removeOtherSpools } from "#agent/report/spool.ts";
import { commitReleaseVariables, tidyReleaseVariables } from "#agent/secrets/release-variables.ts";
import { endProcesses, traceOfRun } from "#agent/run/activate/end-release.ts";
import { stoppedMessage } from "#agent/run/run-result.ts";
import { removeOwned } from "#agent/workspace/remove-owned.ts";
import { readCurrent, switchCurrent } from "#agent/workspace/current-link.ts";
import { emptyBin, removeTree } from "#agent/workspace/discard.ts";
import { removeAllGitLeftovers } from "#agent/git/mirror/mirror.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease, removeIncomplete, removeRelease } from "#agent/workspace/releases.ts";
import { readCorrectionNote, removeCorrectionNote } from "#agent/workspace/correction-note.ts";
import { type JournalEntry, readJournal } from "#agent/workspace/run-journal.ts";
import type { RunResult } from "#contract/agent-events.ts";
import type { ProjectId } from "#contract/ids.ts";

/** A run that was interrupted when an earlier agent process ended, and its result. */
export type Leftover = {
  readonly entry: JournalEntry;
  readonly result: RunResult;
  /** The release that was switched back to and whose activate command must run again; `null` when there is none. */
  readonly reactivate: number | null;
};

/** The unfinished work that an earlier agent process left in a project. */
export type UnfinishedWork = {
  /** The run that was interrupted, or whose result may not be delivered. */
  readonly leftover: Leftover | null;
  /** The release of an interrupted `correct_release`. */
  readonly correction: number | null;
};

/**
 * Recovers a project's folder after the agent has ended, in whatever way: ends processes of interrupted runs, deletes
 * incomplete files, and makes `current` point to a verified release. Never throws: a broken project must not stop the
 * others.
 */
export async function recoverProject(
  context: AgentContext,
  id: ProjectId,
  folder: ProjectFolder,
): Promise<UnfinishedWork> {
  try {
    return await recover(context, id, folder);
  } catch (error) {
    context.log(`${id} could not be recovered: ${messageOf(error)}`);
    return { leftover: null, correction: null };
  }
}

async function recover(context: AgentContext, id: ProjectId, folder: ProjectFolder): Promise<UnfinishedWork> {
  const entry = readJournal(folder);
  const correction = await readCorrectionNote(folder);
  /** Files that cannot be removed, such as files of another user, only use disk space. */
  const clear = async (removal: () => Promise<void>): Promise<void> => {
    await removeOwned(context, folder, removal).catch((error: unknown) =>
      context.log(`${id}: leftover files cannot be removed: ${messageOf(error)}`),
    );
  };
  tidyNotes(folder);
  await recoverDesired(folder, entry);
  const leftover = entry === null ? null : await undo(context, folder, entry, clear);
  if (correction !== null) await endProcesses(context, traceOfRun(folder, correction.marker, null));
  removeOtherSpools(folder, leftover?.entry.run.run_id ?? null);
  const current = await readCurrent(folder);
  await clear(() => removeIncomplete(folder, current));
  await clear(() => removeDrafts(folder));
  await tidyReleaseVariables(folder);
  await clear(() => emptyBin(folder));
  // Parts that an interrupted run has downloaded are of use to the run that repeats it.
  if (entry === null) await clear(() => removeTree(folder.artifacts));
  const cached = await readCacheIndex(folder);
  await clear(() => tidyCacheFolder(context.isolation, folder, new Set(cached.map(({ name }) => name))));
  // An activate command that runs again prints its output again.
  const isReactivated = correction !== null || (leftover !== null && leftover.reactivate !== null);
  await tidyOutput(context.isolation, folder, isReactivated ? null : current);
  if (existsSync(folder.journal)) await removeAllGitLeftovers(folder);
  // A power cut may leave a note empty. It is deleted then, and the control plane decides which release is served.
  if (entry === null) await clear(() => rm(folder.journal, { force: true }));
  if (correction === null) await clear(() => removeCorrectionNote(folder));
  if (current !== null && (await readRelease(folder, current)) === null)
    context.log(`${id}: current points to release ${current}, which is incomplete`);
  return { leftover, correction: correction?.release ?? null };
}

/**
 * Makes true what a run prepared if its verdict was on disk, and drops it otherwise. What then runs and must not is
 * stopped by the first check of the project's instances.
 */
async function recoverDesired(folder: ProjectFolder, entry: JournalEntry | null): Promise<void> {
  const result = entry?.phase.kind === "decided" ? entry.phase.result : null;
  const liveRun = result?.outcome === "live" ? (entry?.run.run_id ?? null) : null;
  await recoverJobs(folder, liveRun);
  await recoverPlace(folder, liveRun);
  if (result?.outcome !== "live") return discardNextDesired(folder);
  await commitReleaseVariables(folder, result.release);
  const isItsOwn = readNextDesired(folder)?.run_id === entry?.run.run_id;
  await (isItsOwn ? commitDesired(folder) : discardNextDesired(folder));
}

/** Deletes drafts and renamed leftovers of interrupted writes and deletions. */
async function removeDrafts({ root, mirrors }: ProjectFolder): Promise<void> {
  for (const path of [root, mirrors.modules])
    for (const name of await readdir(path).catch(() => []))
      if (/^.+\.(json\.tmp|git\.damaged)$/.test(name)) await removeTree(join(path, name));
}

async function undo(
  context: AgentContext,
  folder: ProjectFolder,
  entry: JournalEntry,
  clear: (removal: () => Promise<void>) => Promise<void>,
): Promise<Leftover> {
  const { phase } = entry;
  if (phase.kind === "decided") return { entry, result: phase.result, reactivate: null };
  if (phase.kind !== "preparing") for (const group of entry.groups) killNotedGroup(group, entry.boot_id);
  if (phase.kind === "preparing") await endBuild(context.isolation, folder, entry);
  else await endProcesses(context, traceOfRun(folder, entry.run.run_id, entry.builds));

  let message = stoppedMessage(entry.stage);
  let reactivate: number | null = null;
  if (phase.kind === "switching") {
    if ((await readCurrent(folder)) !== phase.previous) await switchCurrent(folder, phase.previous);
    await switchTrafficBack({ context, folder }, phase.previous);
    // Also when the link is switched back already: the agent may have ended before the command ran.
    reactivate = phase.previous;
    message = "the agent stopped while the release was being activated, and switched back";
  }
  const { builds } = entry;
  if (builds !== null) await clear(() => removeRelease(folder, builds));
  const failure = { code: "server_lost", message, stage: entry.stage } as const;
  return { entry, result: { outcome: "failed", failure }, reactivate };
}
