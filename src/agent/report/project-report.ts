import { reportProcesses } from "#agent/apps/report-processes.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases } from "#agent/workspace/releases.ts";
import { MAX_LINK_MESSAGE, MAX_REPORTED_RELEASES, type ProjectReport } from "#contract/agent-protocol.ts";
import type { InstanceReport } from "#contract/endpoints/processes/schemas.ts";
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

/** What all processes of a message may take, in UTF-16 code units: a part of what a message may. */
const MAX_PROCESSES_LENGTH = MAX_LINK_MESSAGE / 4;

/**
 * Leaves out what makes a message with all projects too long: first the output of instances, then the instances. A reader
 * of one project still gets everything.
 */
export function limitReports(reports: readonly ProjectReport[]): ProjectReport[] {
  const length = (all: readonly ProjectReport[]) =>
    all.reduce((sum, { processes }) => sum + JSON.stringify(processes ?? []).length, 0);
  if (length(reports) <= MAX_PROCESSES_LENGTH) return [...reports];
  const quiet = mapInstances(reports, (instances) => instances.map((one) => ({ ...one, last_output: null })));
  return length(quiet) <= MAX_PROCESSES_LENGTH ? quiet : mapInstances(reports, () => []);
}

function mapInstances(
  reports: readonly ProjectReport[],
  map: (instances: readonly InstanceReport[]) => InstanceReport[],
): ProjectReport[] {
  return reports.map(({ processes, ...report }) =>
    processes === undefined
      ? report
      : {
          ...report,
          processes: processes.map((process) => ({ ...process, instances: map(process.instances) })),
        },
  );
}
