import { randomUUID } from "node:crypto";

import type { AgentContext } from "#agent/context/context.ts";
import { checkRelease } from "#agent/policy/check-policy.ts";
import { readDesired } from "#agent/apps/desired.ts";
import { endRollout } from "#agent/apps/rollout.ts";
import { keepCorrected, startCorrected } from "#agent/lifecycle/correct-instances.ts";
import { servesDomainNow } from "#agent/workspace/live-place.ts";
import { endRelease, traceOfRelease } from "#agent/run/activate/end-release.ts";
import { reactivate } from "#agent/run/activate/revert.ts";
import { scopeOutsideRun } from "#agent/step/run-scope.ts";
import { linkTarget, readCurrent, switchCurrent } from "#agent/workspace/current-link.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease, type Release } from "#agent/workspace/releases.ts";
import {
  readCorrectionNote,
  removeCorrectionNote,
  writeCorrectionNote,
} from "#agent/workspace/correction-note.ts";
import type { ProjectId } from "#contract/ids.ts";

/** `correct_release` carries no timeouts of the project, so these apply. */
const ACTIVATE_SECONDS = 60;

/**
 * Switches `current` to the release that the control plane says is live, if that release is on disk, and runs its
 * activate command. An interrupted correction is carried out again from the start.
 * @returns whether anything changed
 */
export async function correctRelease(
  context: AgentContext,
  projectId: ProjectId,
  version: number,
): Promise<boolean> {
  const folder = projectFolder(context.home, projectId);
  const wasInterrupted = (await readCorrectionNote(folder)) !== null;
  const current = await readCurrent(folder);
  const isServed = current === version;
  const runs = readDesired(folder)?.release ?? version;
  if (!wasInterrupted && isServed && runs === version) return false;
  const release = await readRelease(folder, version);
  const refusal = release === null ? "is not on this server" : checkRelease(context, release, current);
  if (refusal !== null) {
    context.log(`${projectId}: ${linkTarget(version)} should be live, but ${refusal}`);
    await removeCorrectionNote(folder);
    return false;
  }
  let hasSwitched = false;
  try {
    hasSwitched = release !== null && (await switchTo(context, projectId, release));
  } finally {
    endRollout(context, folder);
    await removeTree(folder.temp);
    await tidyOutput(context.isolation, folder, version);
    // Also after a failure: a later start must not repeat a correction that may be outdated by then.
    await removeCorrectionNote(folder);
  }
  return hasSwitched;
}

/** @returns false if the release's instances do not start, and nothing was switched */
async function switchTo(context: AgentContext, projectId: ProjectId, release: Release): Promise<boolean> {
  const folder = projectFolder(context.home, projectId);
  const { version } = release;
  const marker = `correction-${projectId}-${randomUUID()}`;
  // Written first: if the agent dies, the next start must find the command's processes and run the command again.
  await writeCorrectionNote(folder, { release: version, marker });
  const other = await readCurrent(folder);
  const corrected = await startCorrected(context, folder, release);
  if (!corrected.ok) {
    context.log(`${projectId}: ${linkTarget(version)} should be live, but ${corrected.reason}`);
    return false;
  }
  await switchCurrent(folder, version);
  context.log(`${projectId}: switched to ${linkTarget(version)}, which should be live`);
  if (context.sites.urlOf(projectId) === null && servesDomainNow(folder))
    await context.sites.register(projectId, folder.root);
  // Recovery finds these processes by their marker, so their groups need no ledger.
  const noLedger = { opened: () => undefined, closed: () => undefined };
  const scope = scopeOutsideRun(context, projectId, marker, noLedger);
  await keepCorrected(context, folder, release, corrected.value);
  if (other !== null && other !== version) await endRelease(scope, other, traceOfRelease(folder, other));
  await reactivate(scope, version, ACTIVATE_SECONDS);
  return true;
}
