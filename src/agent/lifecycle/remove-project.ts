import type { AgentContext } from "#agent/context/context.ts";
import { endLeftProcesses } from "#agent/process/left-processes.ts";
import { traceOfProject } from "#agent/run/activate/end-release.ts";
import { switchCurrent } from "#agent/workspace/current-link.ts";
import { emptyBin, removeGently } from "#agent/workspace/discard.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases, putReleaseAside, removeHalfWritten } from "#agent/workspace/releases.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * Stops serving a project and removes its releases. Its shared files stay, for nobody else has them, and so does the
 * mirror. Safe to repeat. What its activate commands have started keeps running; with `purge` it is ended, and everything
 * goes: it would print to files that nobody can see any more, and that nobody limits.
 */
export async function removeProject(
  context: AgentContext,
  projectId: ProjectId,
  purge: boolean,
): Promise<void> {
  const folder = projectFolder(context.home, projectId);
  await switchCurrent(folder, null);
  if (purge) {
    const ended = await endLeftProcesses(traceOfProject(folder), context.settings.stopGraceMs);
    for (const { pid, program } of ended)
      context.log(`${projectId}: ended ${program} (${pid}), which it had left running`);
    await removeGently(folder.root);
  } else await removeReleases(folder);
  // Last, because the site server has to write its list, for which there may be no room before.
  await context.sites.unregister(projectId);
  context.log(
    `${projectId}: ${purge ? "removed with all its files" : "stopped serving it, and removed its releases"}`,
  );
}

async function removeReleases(folder: ProjectFolder): Promise<void> {
  const { whole } = await listReleases(folder);
  for (const version of whole) await putReleaseAside(folder, version);
  await removeHalfWritten(folder, null);
  await emptyBin(folder);
  await tidyOutput(folder, null);
}
