import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import type { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import { installCommand } from "#contract/public-paths.ts";
import { MAX_PROCESSES } from "#contract/endpoints/processes/schemas.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import { refuse, type Refusal, type Result } from "#contract/problems.ts";
import { findServerIds } from "#worker/db/projects/project-servers.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Excess } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";

/**
 * The refusal for an id that does not exist in the account, or that the token cannot access. The sentence contains no
 * id, so that the answer to an id of another account is byte for byte the same as to an id that does not exist.
 */
export function notFound(
  what:
    | "command"
    | "connection"
    | "delivery"
    | "deployment"
    | "event"
    | "freeze"
    | "hook"
    | "identity"
    | "invitation"
    | "member"
    | "passkey"
    | "project"
    | "push"
    | "server"
    | "token"
    | "trust rule"
    | "webhook",
) {
  return refuse("not_found", `No ${what} with this id exists, or the token cannot access it.`);
}

/** The token of the request was revoked, or its member lost rights, after the request was authenticated (`hasStillRights`). */
export const ended = refuse("insufficient_scope", "The token was revoked or lost rights at this moment.");

/** Refuses a request to which this has happened; null: it has not. */
export async function refuseEnded({ isStillAllowed }: Pick<Context, "isStillAllowed">) {
  return (await isStillAllowed()) ? null : ended;
}

/** Refuses to create more of these than an account may have. @param remedy another sentence: what the user can do */
export function tooMany(
  what:
    | "connections"
    | "hooks"
    | "identities"
    | "members and open invitations"
    | "passkeys"
    | "projects"
    | "servers"
    | "tokens"
    | "trust rules"
    | "webhooks",
  remedy = "",
  maximum = MAX_PER_ACCOUNT,
  owner = "The account",
) {
  const most = maximum.toLocaleString("en");
  return refuse("too_many", `${owner} has ${most} ${what}, the maximum.${remedy && ` ${remedy}`}`);
}

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

/**
 * Says which servers of a project with several have an agent that is too old for a deployment: it would run the whole project,
 * and so the cron jobs and the release command a second time. null: all agents are new enough.
 */
export function oldAgentsText({ members, outdatedBuilder }: AgentsToDeploy): string | null {
  const outdated = members.filter(({ isOutdated }) => isOutdated === 1).map(({ name }) => name);
  if (outdated.length > 0) return tooOld(outdated, "for a project on several servers");
  return outdatedBuilder === null ? null : tooOld([outdatedBuilder], "to build for other servers");
}

type AgentsToDeploy = Pick<ProjectToDeploy, "members" | "outdatedBuilder">;

function tooOld(names: readonly string[], forWhat: string): string {
  const [whose, verb] = names.length === 1 ? ["The agent of", "is"] : ["The agents of", "are"];
  return `${whose} ${names.join(", ")} ${verb} too old ${forWhat}.`;
}

/**
 * Refuses a request for which the agents of these servers are too old; null: there are no such servers.
 * @param forWhat the end of the sentence, such as `to build for other servers`
 */
export function refuseTooOld(context: Pick<Context, "origin">, names: readonly string[], forWhat: string) {
  return names.length === 0 ? null : refuseOutdated(context, tooOld(names, forWhat));
}

/** Refuses a start on several servers of which some have an old agent; null: none has. */
export function refuseOldAgents(context: Pick<Context, "origin">, found: AgentsToDeploy) {
  const text = oldAgentsText(found);
  return text === null ? null : refuseOutdated(context, text);
}

/**
 * Why a project cannot be deployed on its servers, with their names: agents that are too old, or no containers for a project that is built
 * from a Dockerfile. null: it can.
 */
export function findUnfitServers(
  found: AgentsToDeploy & Pick<ProjectToDeploy, "containers">,
): { readonly code: "agent_outdated" | "containers_missing"; readonly text: string } | null {
  const old = oldAgentsText(found);
  if (old !== null) return { code: "agent_outdated", text: old };
  const { outdated, missing } = found.containers;
  if (outdated.length > 0)
    return {
      code: "agent_outdated",
      text: tooOld(outdated, "for a project that is built from a Dockerfile"),
    };
  if (missing.length === 0) return null;
  const text = `The project is built from a Dockerfile, and ${missing.join(", ")} cannot run containers.`;
  return { code: "containers_missing", text };
}

/** Refuses a start on servers that cannot carry it out, and says what to run there; null: all can. */
export function refuseUnfitServers(
  { origin }: Pick<Context, "origin">,
  found: Parameters<typeof findUnfitServers>[0],
) {
  const unfit = findUnfitServers(found);
  if (unfit === null) return null;
  if (unfit.code === "agent_outdated") return refuseOutdated({ origin }, unfit.text);
  const command = `${installCommand(origin)} | sh -s -- --with-containers`;
  return refuse(
    "containers_missing",
    `${unfit.text} Run there as root: ${command}. gantry servers show says what a server lacks.`,
  );
}

function refuseOutdated({ origin }: Pick<Context, "origin">, text: string) {
  return refuse("agent_outdated", `${text} Update there: ${installCommand(origin)} | sh`);
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

/** Refuses a list of projects. @param unknown the projects that do not exist, or that the token cannot access */
export function refuseUnknownProjects(given: readonly ProjectId[], unknown: readonly ProjectId[]) {
  const errors = given.flatMap((id, at) =>
    unknown.includes(id)
      ? [{ pointer: `/project_ids/${at}`, message: "is not a project of this account" }]
      : [],
  );
  return refuse(
    "invalid_request",
    "The account does not have a project that is listed in project_ids.",
    errors,
  );
}

/** Refuses to make a token, trust rule or webhook that reaches more than the token of the request. */
export function refuseExcess(
  excess: Excess,
  what: "tokens" | "trust rules" | "webhooks" = "tokens",
): {
  readonly ok: false;
  readonly refusal: Refusal<"insufficient_scope">;
} {
  if (excess.in === "projects")
    return refuse(
      "insufficient_scope",
      `The token is limited to some projects, so it can only create ${what} for these projects: list them in project_ids.`,
    );
  const { refusal } = refuse(
    "insufficient_scope",
    `The token cannot grant scopes that it does not have: ${excess.scopes.join(", ")}.`,
  );
  return { ok: false, refusal: { ...refusal, scopes: excess.scopes } };
}
