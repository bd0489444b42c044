import { randomUUID } from "node:crypto";

import type { AgentContext } from "#agent/context/context.ts";
import { checkRelease } from "#agent/policy/check-policy.ts";
import { refuseLeavingLinks } from "#agent/run/build/check-links.ts";
import { endRelease, traceOfRelease } from "#agent/run/activate/end-release.ts";
import { reactivate } from "#agent/run/activate/revert.ts";
import { scopeOutsideRun } from "#agent/run/step/run-scope.ts";
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

/** `correct_release` carries no timeouts of the project, so these apply. */
const ACTIVATE_SECONDS = 60;
const CHECK_MS = 60_000;

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
  if (!wasInterrupted && (await readCurrent(folder)) === version) return false;
  const release = await readRelease(folder, version);
  const refusal =
    release === null
      ? "is not on this server"
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
    await tidyOutput(context.isolation, folder, version);
    // Also after a failure: a later start must not repeat a correction that may be outdated by then.
    await removeCorrectionNote(folder);
  }
  return true;
}

async function switchTo(context: AgentContext, projectId: ProjectId, version: number): Promise<void> {
  const folder = projectFolder(context.home, projectId);
  const marker = `correction-${projectId}-${randomUUID()}`;
  // Written first: if the agent dies, the next start must find the command's processes and run the command again.
  await writeCorrectionNote(folder, { release: version, marker });
  const other = await readCurrent(folder);
  await switchCurrent(folder, version);
  context.log(`${projectId}: switched to ${linkTarget(version)}, which should be live`);
  if (context.sites.urlOf(projectId) === null) await context.sites.register(projectId, folder.root);
  // Recovery finds these processes by their marker, so their groups need no ledger.
  const noLedger = { opened: () => undefined, closed: () => undefined };
  const scope = scopeOutsideRun(context, projectId, marker, noLedger);
  if (other !== null && other !== version) await endRelease(scope, other, traceOfRelease(folder, other));
  await reactivate(scope, version, ACTIVATE_SECONDS);
}
