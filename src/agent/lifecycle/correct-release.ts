import { randomUUID } from "node:crypto";

import type { AgentContext } from "#agent/context/context.ts";
import { checkRelease } from "#agent/policy/check-policy.ts";
import { refuseLeavingLinks } from "#agent/run/build/check-links.ts";
import { endRelease, traceOfRelease } from "#agent/run/activate/end-release.ts";
import { reactivate } from "#agent/run/activate/revert.ts";
import { scopeOutsideRun } from "#agent/run/step/scope-outside-run.ts";
import { linkTarget, readCurrent, switchCurrent } from "#agent/workspace/current-link.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import {
  readCorrectionNote,
  removeCorrectionNote,
  writeCorrectionNote,
} from "#agent/workspace/correction-note.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The control plane has the last word on what is served; it names no project's timeouts with it. */
const ACTIVATE_SECONDS = 60;
const CHECK_MS = 60_000;

/**
 * Makes `current` point to the release that the control plane says is live, if it is here, and runs its activate command.
 * One that was cut off is carried out again as a whole.
 * @returns whether anything has changed
 */
export async function correctRelease(
  context: AgentContext,
  projectId: ProjectId,
  version: number,
): Promise<boolean> {
  const folder = projectFolder(context.home, projectId);
  const wasCutOff = (await readCorrectionNote(folder)) !== null;
  if (!wasCutOff && (await readCurrent(folder)) === version) return false;
  const release = await readRelease(folder, version);
  const refusal =
    release === null
      ? "is not here"
      : (checkRelease(context.policy, release) ??
        (await refuseLeavingLinks(context.home, folder, release, AbortSignal.timeout(CHECK_MS))));
  if (refusal !== null) {
    context.log(`${projectId}: ${linkTarget(version)} should be live, but ${refusal}`);
    await removeCorrectionNote(folder);
    return false;
  }
  try {
    await switchTo(context, projectId, version);
  } finally {
    await removeTree(folder.temp);
    await tidyOutput(folder, version);
    // Also after a failure: a later start must not bring back what is not wanted by then.
    await removeCorrectionNote(folder);
  }
  return true;
}

async function switchTo(context: AgentContext, projectId: ProjectId, version: number): Promise<void> {
  const folder = projectFolder(context.home, projectId);
  const marker = `restore-${projectId}-${randomUUID()}`;
  // Noted first: an agent that dies in it must find what the command has started, and run it once more.
  await writeCorrectionNote(folder, { release: version, marker });
  const other = await readCurrent(folder);
  await switchCurrent(folder, version);
  context.log(`${projectId}: switched to ${linkTarget(version)}, which should be live`);
  if (context.sites.urlOf(projectId) === null) await context.sites.register(projectId, folder.root);
  // The marker is enough to find its processes by: a restore that was cut off has no groups to look for.
  const noLedger = { opened: () => undefined, closed: () => undefined };
  const scope = scopeOutsideRun(context, folder, marker, noLedger);
  if (other !== null && other !== version) await endRelease(scope, other, traceOfRelease(folder, other));
  await reactivate(scope, version, ACTIVATE_SECONDS);
}
