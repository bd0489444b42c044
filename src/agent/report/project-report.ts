import { reportProcesses } from "#agent/apps/report-processes.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases } from "#agent/workspace/releases.ts";
import { MAX_REPORTED_RELEASES, type ProjectReport } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";

type ReportSource = Pick<AgentContext, "home" | "sites" | "apps" | "clock" | "supervisor" | "log">;

/**
 * Reports which release a project serves, at which URL, which releases it keeps, and what runs.
 * @param supervised the instances of all projects, if they are known already
 */
export async function reportProject(
  context: ReportSource,
  projectId: ProjectId,
  supervised: readonly SupervisedInstance[] | null = null,
): Promise<ProjectReport> {
  const { home, sites } = context;
  const folder = projectFolder(home, projectId);
  // An unreadable folder counts as empty, so that the other projects can still be reported.
  const { complete } = await listReleases(folder).catch(() => ({ complete: [] }));
  const processes = await reportProcesses(context, folder, supervised);
  return {
    project_id: projectId,
    release: await readCurrent(folder),
    // A build can create folders here, and a message over the size limit would close the link of the whole server.
    releases: complete.slice(-MAX_REPORTED_RELEASES),
    url: sites.urlOf(projectId),
    ...(processes === undefined ? {} : { processes }),
  };
}
