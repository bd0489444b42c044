import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

import { tidyCacheFolder } from "#agent/cache/cache-folder.ts";
import { endApps } from "#agent/apps/end-apps.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { removeDeployKey } from "#agent/git/ssh/deploy-keys.ts";
import { tidyReleaseVariables } from "#agent/secrets/release-variables.ts";
import { endProcesses, traceOfProject } from "#agent/run/activate/end-release.ts";
import { ownRelease, removeOwned } from "#agent/workspace/remove-owned.ts";
import { switchCurrent } from "#agent/workspace/current-link.ts";
import { emptyBin, removeTree } from "#agent/workspace/discard.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import { removeAssets } from "#agent/ingress/earlier-assets.ts";
import { listReleases, putReleaseAside, removeIncomplete } from "#agent/workspace/releases.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * Stops serving a project and deletes its releases. Its shared files, which exist nowhere else, and its mirror are
 * kept. Can be repeated. Its instances are ended. Processes that its activate commands started keep running. With `purge`, they are ended and
 * all files are deleted, with the project's deploy key: their output would go to deleted files without a size limit.
 */
export async function removeProject(
  context: AgentContext,
  projectId: ProjectId,
  purge: boolean,
): Promise<void> {
  const folder = projectFolder(context.home, projectId);
  await switchCurrent(folder, null);
  await endApps(context, folder);
  await removeOwned(context, folder, () => removeTree(folder.logs));
  await removeTree(folder.outputTimes);
  if (purge) {
    for (const ended of await endProcesses(context, traceOfProject(folder)))
      context.log(`${projectId}: ended ${ended}, which an activate command left running`);
    await removeAll(context, folder);
    await removeDeployKey(context.home, projectId);
  } else await removeReleases(context, folder);
  // Last, because the site server writes its list, for which a full disk has no space before.
  await context.sites.unregister(projectId);
  context.log(
    `${projectId}: ${purge ? "removed with all its files" : "stopped serving it and removed its releases"}`,
  );
}

/** @throws when the project's user cannot be removed, so that the removal is not confirmed and comes again */
async function removeAll({ isolation }: AgentContext, folder: ProjectFolder): Promise<void> {
  if (isolation.kind === "projects") {
    const removed = await isolation.remove(folder.id);
    if (removed.kind === "failed") throw new Error(removed.reason);
  }
  await removeTree(folder.root);
}

async function removeReleases(context: AgentContext, folder: ProjectFolder): Promise<void> {
  const { complete } = await listReleases(folder);
  for (const version of complete) {
    await ownRelease(context, folder, version);
    await putReleaseAside(folder, version);
  }
  await removeOwned(context, folder, async () => {
    await removeIncomplete(folder, null);
    await emptyBin(folder);
  });
  // The images of the releases are left, and only the helper can delete them.
  if (context.isolation.kind === "projects" && existsSync(folder.containers)) {
    const discarded = await context.isolation.discard(folder.id);
    if (discarded.kind === "failed") throw new Error(discarded.reason);
  }
  await removeAssets(folder);
  await removeTree(folder.artifacts);
  await rm(folder.cacheIndex, { force: true });
  await tidyCacheFolder(context.isolation, folder, new Set());
  await tidyOutput(context.isolation, folder, null);
  await tidyReleaseVariables(folder);
}
