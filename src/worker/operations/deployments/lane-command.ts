import type { Actor, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { keptOf } from "#contract/endpoints/projects/project-settings.ts";
import type { AccountId, MemberId, ServerId } from "#contract/ids.ts";
import { type ProblemCode, type Result, succeed } from "#contract/problems.ts";
import { fleetOf } from "#domain/lane/fleet.ts";
import type { Plan } from "#domain/lane/lane.ts";
import type { Context } from "#worker/context.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { eventActorOf, personBehind, requestEntry } from "#worker/operations/changes/request-changes.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import type { Started } from "#worker/objects/project-lane/lane-commands.ts";

/**
 * The fields of a lane's command that come from the request and from the project's current settings.
 * @param emergency why the deployment passes freezes and approvals, which the audit log records; undefined: it does not
 */
export function commandFor(context: Context, found: ProjectToDeploy, emergency: string | undefined) {
  const { account, requestKey } = context;
  const changes = emergency === undefined ? {} : { emergency: { before: null, after: emergency } };
  const audit = requestEntry(context, { target: null, projectId: found.project.id, changes });
  const sender = { actor: actorOf(context), person: personBehind(context) };
  const asking = { accountId: account.id, ...sender, requestKey, audit };
  return { ...laneCommand(asking, found), emergency: emergency ?? null };
}

/**
 * Who asks for a deployment. `person`: the member behind the actor; null: nobody is known, as for a push. `audit`: null: the
 * caller has recorded the request.
 */
export type Asking = {
  readonly accountId: AccountId;
  readonly actor: Actor;
  readonly person: MemberId | null;
  readonly requestKey: string | null;
  readonly audit: StoredEntry | null;
};

/** As `commandFor`, also for what is not a request with a token. */
export function laneCommand({ accountId, ...asking }: Asking, found: ProjectToDeploy) {
  const { id: projectId } = found.project;
  const { queue } = settingsOf(found.project);
  return { ...asking, ...currentSettings(found), owner: { accountId, projectId }, queue, emergency: null };
}

/** What a deployment that starts now runs with, and what holds it. */
export function currentSettings({ project, members, variables, freezes }: ProjectToDeploy) {
  const { serverId } = project;
  const { approval } = settingsOf(project);
  return { serverId, plan: planOf(project, members), variables, approval, freezes };
}

/** The lane's answer for the client. Passes the bookmark of the lane's write to the request's session. */
export function answerOf<Code extends ProblemCode>(
  { session }: Context,
  result: Result<Started, Code>,
): Result<DeploymentStarted, Code> {
  if (!result.ok) return result;
  session.note(result.value.bookmark);
  return succeed(result.value.started);
}

/** Who sent the request. */
export function actorOf(sender: Pick<Context, "token" | "member">): Actor {
  return { ...eventActorOf(sender), type: "token", id: sender.token.id };
}

/** The server that builds for others; null: each builds for itself, also the only one. */
function builderFor({ build_on: builder, servers }: ReturnType<typeof settingsOf>): ServerId | null {
  return servers.every(({ id }) => id === builder) ? null : builder;
}

function planOf(project: ProjectRecord, members: ProjectToDeploy["members"]): Plan {
  const settings = settingsOf(project);
  const names = Object.fromEntries(members.map(({ id, name }) => [id, name]));
  const fleet = fleetOf(settings, names);
  const builder = builderFor(settings);
  return {
    ...keptOf(settings),
    maintenance: project.maintenance,
    ...(fleet === undefined ? {} : { fleet }),
    ...(builder === null ? {} : { builder }),
  };
}
