import type { Processes, ProcessesQuery, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findMembers, type MemberReading } from "#worker/db/projects/project-servers.ts";
import { findServedProject, type ServedProject } from "#worker/db/projects/served-project.ts";
import { onServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";
import { processSources } from "#worker/views/processes-view.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/**
 * Returns what a server of a project runs: as it sees it now, or as it reported it last if it does not answer. Costs a read
 * of D1 more for another server than the first.
 */
export async function getProcesses(
  context: Context,
  id: ProjectId,
  { server_id: serverId }: ProcessesQuery,
): Promise<Result<Processes, "not_found">> {
  const found = await findServedProject(context.rows, id);
  if (found === null) return notFound("project");
  const there = await onServer(context, found, serverId);
  if (!there.ok) return there;
  const project = there.value;
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "read_processes", request_id, project_id } as const;
  const [answer, last] = await Promise.all([
    askAgent(context, project, request),
    project === found ? ofFirst(found) : ofMember(context, project),
  ]);
  const shared = { ingress_problem: last.ingressProblem, sources: processSources(project) };
  if (answer.ok) {
    const checked_at = timestamp(context.clock.now());
    return succeed({ ...shared, processes: answer.value.processes, checked_at });
  }
  return succeed({ ...shared, processes: last.processes ?? [], checked_at: timestampOrNull(last.at) });
}

/** What a server has reported last. `at`: when, in Unix milliseconds; null: never. */
type LastReport = Pick<MemberReading, "processes" | "ingressProblem"> & { readonly at: number | null };

function ofFirst(project: ServedProject): LastReport {
  const { reportedProcesses: processes, confirmedAt, servingCheckedAt, ingressProblem } = project;
  return { processes, ingressProblem, at: confirmedAt ?? servingCheckedAt };
}

async function ofMember(
  { rows }: Context,
  { id, serverId }: Pick<ServedProject, "id" | "serverId">,
): Promise<LastReport> {
  const members = await findMembers(rows, id);
  const member = members.find((one) => one.id === serverId);
  if (member === undefined) return { processes: null, ingressProblem: null, at: null };
  return { ...member, at: member.confirmedAt ?? member.checkedAt };
}

/** Whether the project's settings, its repository or its server's last report name the process. */
export function hasProcess(project: ProjectRecord, name: ProcessName): boolean {
  return processNames(project).includes(name);
}

/** Whether a server has said which processes there are. */
export function knowsProcesses({ detected, reportedProcesses }: ProjectRecord): boolean {
  return detected !== null || (reportedProcesses ?? []).length > 0;
}

/** Whether it is known that the project has no such process. */
export function lacksProcess(project: ProjectRecord, name: ProcessName): boolean {
  return knowsProcesses(project) && !hasProcess(project, name);
}

/** The names of the processes that the project's settings, its repository or its server's last report name. */
function processNames(project: ProjectRecord): readonly ProcessName[] {
  const reported = (project.reportedProcesses ?? []).map(({ name }) => name);
  const detected = Object.keys(project.detected?.processes ?? {});
  return [...new Set([...Object.keys(project.settings.processes), ...detected, ...reported])];
}

/** Refuses a request for a process that the project does not have. */
export function noSuchProcess(project: ProjectRecord, name: ProcessName) {
  const names = processNames(project);
  const others = names.length === 0 ? "It has none." : `It has ${names.join(", ")}.`;
  return refuse("not_found", `The project has no process ${name}.${didYouMean(name, names)} ${others}`);
}
