import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import type { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import { MAX_PROCESSES } from "#contract/endpoints/processes/schemas.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { findServerIds } from "#worker/db/projects/project-servers.ts";
import type { Context } from "#worker/context.ts";

// The refusals that creating and updating a project share.

export function nameTaken(name: string) {
  return refuse("name_taken", `The account already has a project named ${name}.`);
}

/**
 * @param domains the request's domains: one of them is taken. Which one is not known, because its project may be
 * another account's.
 */
export function domainTaken(...domains: readonly string[]) {
  const which =
    domains.length === 1 ? `The domain ${domains[0]}` : `One of the domains ${domains.join(", ")}`;
  return refuse("domain_taken", `${which} belongs to another project.`);
}

export function tooManyProcesses() {
  return refuse("too_many", `A project can have settings for ${MAX_PROCESSES} processes.`);
}

/** Refuses the servers of a request that are not servers of the account. */
export async function refuseServers(
  { rows }: Pick<Context, "rows">,
  {
    server_id: serverId,
    servers = [],
    entry,
    build_on: builder,
  }: Pick<UpdateProjectInput, "server_id" | "servers" | "entry" | "build_on">,
): Promise<Result<never, "invalid_request">> {
  const named = [
    ...(serverId === undefined || servers.length > 0 ? [] : [{ id: serverId, pointer: "/server_id" }]),
    ...servers.map(({ id }, at) => ({ id, pointer: `/servers/${at}/id` })),
    ...(entry?.balancers ?? []).map((id, at) => ({ id, pointer: `/entry/balancers/${at}` })),
    ...(builder === undefined || builder === null ? [] : [{ id: builder, pointer: "/build_on" }]),
  ];
  const known = await findServerIds(
    rows,
    named.map(({ id }) => id),
  );
  const unknown = named.filter(({ id }) => !known.includes(id));
  return refuse(
    "invalid_request",
    `Not in this account: ${[...new Set(unknown.map(({ id }) => id))].join(", ")}.`,
    unknown.map(({ pointer }) => ({ pointer, message: "is not a server of this account" })),
  );
}

/** Refuses jobs with a name, a schedule or a time zone that cannot be used; `null` if all can. */
export function refuseCron(jobs: CronJobs = []) {
  const problem = findCronProblem(jobs);
  if (problem === null) return null;
  const { path, message } = problem;
  const pointer = ["/cron", ...path].join("/");
  return refuse("invalid_request", `The ${path[1]} of the job ${jobs[path[0]]?.name} ${message}.`, [
    { pointer, message },
  ]);
}
