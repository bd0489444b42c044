import type { AgentContext } from "#agent/context.ts";
import { sayingLog } from "#agent/report-leftover.ts";
import { reactivate } from "#agent/run/revert.ts";
import { linkTarget, readCurrent, switchCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The control plane has the last word on what is served; it names no project's timeouts with it. */
const ACTIVATE_SECONDS = 60;

/**
 * Makes `current` point to the release that the control plane says is live, if it is here.
 * @returns whether anything has changed
 */
export async function restoreRelease(
  context: AgentContext,
  projectId: ProjectId,
  version: number,
): Promise<boolean> {
  const folder = projectFolder(context.home, projectId);
  if ((await readCurrent(folder)) === version) return false;
  if ((await readRelease(folder, version)) === null) {
    context.say(`${projectId}: ${linkTarget(version)} should be live, but is not here`);
    return false;
  }
  await switchCurrent(folder, version);
  context.say(`${projectId}: switched to ${linkTarget(version)}, which should be live`);
  if (context.sites.urlOf(projectId) === null) await context.sites.register(projectId, folder);
  const scope = {
    context,
    folder,
    marker: `restore-${projectId}`,
    ledger: { opened: () => undefined, closed: () => undefined },
    mask: (text: string) => text,
    log: sayingLog(context),
    room: () => null,
  };
  await reactivate(scope, version, ACTIVATE_SECONDS);
  return true;
}
