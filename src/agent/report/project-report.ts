import { reportProcesses } from "#agent/apps/report-processes.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { ingressProblemOf } from "#agent/ingress/has-ingress.ts";
import { leadsToApp, readSite } from "#agent/ingress/site-file.ts";
import { reportJobHealth } from "#agent/jobs/cron/job-health.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases } from "#agent/workspace/releases.ts";
import {
  MAX_INGRESS_PROBLEM,
  MAX_LINK_MESSAGE,
  MAX_REPORTED_RELEASES,
  type ProjectReport,
} from "#contract/agent-protocol.ts";
import type { InstanceReport, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

type ReportSource = Pick<
  AgentContext,
  "home" | "sites" | "ingress" | "apps" | "clock" | "supervisor" | "log"
>;

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
  const all = await reportProcesses(context, folder, supervised);
  const processes = limitReports([{ processes: all }], MAX_PROJECT_LENGTH)[0]?.processes;
  const jobs = reportJobHealth(folder);
  const certificates = context.ingress.certificatesOf(projectId);
  return {
    project_id: projectId,
    release: await readCurrent(folder),
    // A build can create folders here, and a message over the size limit would close the link of the whole server.
    releases: complete.slice(-MAX_REPORTED_RELEASES),
    url: sites.urlOf(projectId),
    ...(processes === undefined ? {} : { processes }),
    ...(jobs === undefined ? {} : { jobs }),
    ...(certificates === null ? {} : { certificates }),
    ...(await ingressReport(context, folder)),
  };
}

/** The problem of a project's site, or of the ingress that should serve it. */
async function ingressReport(context: ReportSource, folder: ProjectFolder) {
  const own = context.ingress.problemOf(folder.id);
  if (own !== null) return ingressProblem(own);
  const read = await readSite(folder);
  return read.kind === "missing" ? {} : ingressProblem(ingressProblemOf(context, leadsToApp(read)));
}

/** The field of a message, if there is a problem. */
export function ingressProblem(problem: string | null): { readonly ingress_problem?: string } {
  return problem === null ? {} : { ingress_problem: problem.slice(0, MAX_INGRESS_PROBLEM).toWellFormed() };
}

/** The limit of all processes in a message, in UTF-16 code units: a part of the message's own limit. */
const MAX_PROCESSES_LENGTH = MAX_LINK_MESSAGE / 4;

/** The same for one project: the result of a run contains it, and the control plane accepts 1 MiB of events at once. */
const MAX_PROJECT_LENGTH = 256 * 1024;

type WithProcesses = { readonly processes?: ProcessReport[] | undefined };

/**
 * Leaves out what makes a message with these reports too long, which would close the link of the whole server: first the
 * output of instances, then the instances, then the processes of the projects with the longest ones.
 */
export function limitReports<Report extends WithProcesses>(
  reports: readonly Report[],
  maxLength = MAX_PROCESSES_LENGTH,
): Report[] {
  const length = ({ processes }: WithProcesses) => JSON.stringify(processes ?? []).length;
  const fits = (all: readonly WithProcesses[]) =>
    all.reduce((sum, report) => sum + length(report), 0) <= maxLength;
  if (fits(reports)) return [...reports];
  const quiet = mapInstances(reports, (instances) => instances.map((one) => ({ ...one, last_output: null })));
  if (fits(quiet)) return quiet;
  const short = mapInstances(reports, () => []);
  let total = 0;
  const kept = new Set<Report>();
  for (const report of short.toSorted((one, other) => length(one) - length(other))) {
    total += length(report);
    if (total <= maxLength) kept.add(report);
  }
  return short.map((report) => (kept.has(report) ? report : { ...report, processes: undefined }));
}

function mapInstances<Report extends WithProcesses>(
  reports: readonly Report[],
  map: (instances: readonly InstanceReport[]) => InstanceReport[],
): Report[] {
  return reports.map((report) =>
    report.processes === undefined
      ? report
      : {
          ...report,
          processes: report.processes.map((process) => ({ ...process, instances: map(process.instances) })),
        },
  );
}
