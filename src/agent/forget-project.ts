import type { AgentContext } from "#agent/context.ts";
import { switchCurrent } from "#agent/workspace/current-link.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases, removeHalfWritten, removeRelease } from "#agent/workspace/releases.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * Stops serving a project and removes its releases. Its shared files stay, for nobody else has them, and so does the
 * mirror; with `purge` everything goes. Safe to repeat. What its activate commands have started is theirs to end.
 */
export async function forgetProject(
  context: AgentContext,
  projectId: ProjectId,
  purge: boolean,
): Promise<void> {
  const folder = projectFolder(context.home, projectId);
  await context.sites.unregister(projectId);
  await switchCurrent(folder, null);
  if (purge) {
    await removeTree(folder.root);
    context.say(`${projectId}: removed with all its files`);
    return;
  }
  const { whole } = await listReleases(folder);
  for (const version of whole) await removeRelease(folder, version);
  await removeHalfWritten(folder, null);
  context.say(`${projectId}: stopped serving it, and removed its releases`);
}
