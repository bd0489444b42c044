import {
  type Connection,
  type CreateConnectionInput,
  defaultScopes,
  GITHUB_ISSUER,
  type GroupGrantInput,
  MAX_CONNECTIONS,
  type UpdateConnectionInput,
} from "#contract/endpoints/connections/schemas.ts";
import type { GrantInput } from "#contract/endpoints/members/schemas.ts";
import type { ConnectionId, ProjectId } from "#contract/ids.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { pick } from "#contract/lib/pick.ts";
import { type FieldError, refuse, type Result, succeed } from "#contract/problems.ts";
import type { GroupGrants } from "#domain/sign-in/decide-sign-in.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import {
  changeConnection,
  type ConnectionChanges,
  type ConnectionReading,
  findConnection,
  hasProof,
  insertConnection,
  removeConnection,
  sessionsEndedAt,
} from "#worker/db/connections/connection-records.ts";
import { unknownProjects } from "#worker/db/projects/list-projects.ts";
import { openIdConfigurations } from "#worker/identity/providers/provider.ts";
import { issuerOf } from "#worker/identity/providers/open-id-discovery.ts";
import { addressProblem } from "#worker/identity/providers/provider-fetch.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";
import { refuseAllButOwner } from "#worker/operations/connections/owner-only.ts";
import { grantsOf, projectsOf } from "#worker/operations/members/grants.ts";
import { notFound, tooMany } from "#worker/operations/refusals.ts";
import { reachOf } from "#worker/operations/sign-in/provider-answer.ts";
import { redirectUri } from "#worker/operations/sign-in/redirect-uri.ts";
import { connectionView } from "#worker/views/connection-view.ts";

/** How long after somebody has signed in by a connection it may be forced. */
const PROOF_MS = 10 * 60_000;

type OwnerRefusal = "person_required" | "reauthentication_required";

/** Creates a connection. Its provider is asked how it writes its issuer. */
export async function createConnection(
  context: Context,
  input: CreateConnectionInput,
): Promise<Result<Connection, OwnerRefusal | "invalid_request" | "provider_unreachable" | "too_many">> {
  const refused = refuseAllButOwner(context);
  if (refused !== null) return refused;
  const issuer = await issuerFor(context, input);
  if (!issuer.ok) return issuer;
  const connection: ConnectionReading = {
    id: context.ids.connection(),
    kind: input.kind,
    name: input.name,
    issuer: issuer.value,
    clientId: input.client_id,
    clientSecret: input.client_secret,
    scopes: input.scopes ?? defaultScopes[input.kind],
    groupsClaim: input.groups_claim,
    groupGrants: groupGrantsOf(input.group_grants),
    syncGrants: input.sync_grants,
    joinPolicy: input.join,
    domains: input.domains,
    joinGrants: grantsOf(input.join_grants),
    isForced: false,
    sessionHours: input.session_hours,
    tokenDays: input.token_days,
    createdAt: context.clock.now(),
    lastUsedAt: null,
  };
  const problem = problemOf(connection);
  if (problem !== null) return refuseConnection(problem);
  const recorded = connectionWrites(context, "connection.created", connection);
  const insertion = await insertConnection(context.rows, connection, projectsIn(connection), recorded);
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed(connectionView(insertion.connection, redirectUri(context)));
    case "no_such_projects":
      return refuseProjects(input.group_grants, input.join_grants, insertion.projectIds);
    case "too_many":
      return tooMany("connections", "Delete some.", MAX_CONNECTIONS);
  }
}

/** The issuer as its provider writes it. */
async function issuerFor(
  context: Context,
  { kind, issuer: given }: CreateConnectionInput,
): Promise<Result<string, "invalid_request" | "provider_unreachable">> {
  if (given === undefined && kind === "oidc")
    return refuseConnection({ pointer: "/issuer", message: "is required" });
  const issuer = issuerOf(given ?? GITHUB_ISSUER);
  if (kind === "github") {
    const problem = addressProblem(issuer, context.targetProblem);
    return problem === null
      ? succeed(issuer.replace(/\/$/, ""))
      : refuseConnection({ pointer: "/issuer", message: `cannot be used. ${problem}` });
  }
  const found = await openIdConfigurations.readAgain(issuer, reachOf(context));
  if (found.ok) return succeed(found.value.metadata.issuer);
  return found.isTemporary
    ? refuse("provider_unreachable", `The provider cannot be asked. ${found.problem}`)
    : refuseConnection({ pointer: "/issuer", message: `cannot be used. ${found.problem}` });
}

type UpdateRefusal = OwnerRefusal | "invalid_request" | "not_found" | "sso_required";

/** Changes a connection. Only an owner who has just signed in by it can force it. */
export async function updateConnection(
  context: Context,
  id: ConnectionId,
  input: UpdateConnectionInput,
): Promise<Result<Connection, UpdateRefusal>> {
  const refused = refuseAllButOwner(context);
  if (refused !== null) return refused;
  const before = await findConnection(context.latestRows, id);
  if (before === null) return notFound("connection");
  const given = changesOf(input);
  const after = changedBy(before, given);
  const problem = problemOf(after);
  if (problem !== null) return refuseConnection(problem);
  const changes = {
    ...differences(shownOf(before), shownOf(after)),
    // Never with the secret itself.
    ...(before.clientSecret !== after.clientSecret && { client_secret: { before: "***", after: "***" } }),
  };
  if (Object.keys(changes).length === 0) return succeed(connectionView(before, redirectUri(context)));
  const now = context.clock.now();
  const isForcedNow = after.isForced && !before.isForced;
  const proof = isForcedNow ? { tokenId: context.token.id, since: now - PROOF_MS, now } : null;
  const wanted = projectsIn({ groupGrants: given.groupGrants ?? [], joinGrants: given.joinGrants ?? [] });
  const recorded = connectionWrites(context, "connection.updated", after, changes);
  if (!(await changeConnection(context.rows, id, given, wanted, proof, recorded))) {
    if (proof !== null && !(await hasProof(context.latestRows, id, proof))) return notProven(before.name);
    const unknown = await unknownProjects(context.latestRows, wanted);
    if (unknown.length === 0) return notFound("connection");
    return refuseProjects(input.group_grants ?? [], input.join_grants ?? [], unknown);
  }
  if (isForcedNow) await forgetSessions(context, now);
  announceLater(context);
  return succeed(connectionView(after, redirectUri(context)));
}

function notProven(name: string) {
  return refuse(
    "sso_required",
    `Sign in by ${name} first, or confirm by it, and repeat this within 10 minutes: so it is certain that it works before others need it.`,
  );
}

function changesOf(input: UpdateConnectionInput): ConnectionChanges {
  return {
    name: input.name,
    clientId: input.client_id,
    clientSecret: input.client_secret,
    scopes: input.scopes,
    groupsClaim: input.groups_claim,
    groupGrants: input.group_grants === undefined ? undefined : groupGrantsOf(input.group_grants),
    syncGrants: input.sync_grants,
    joinPolicy: input.join,
    domains: input.domains,
    joinGrants: input.join_grants === undefined ? undefined : grantsOf(input.join_grants),
    isForced: input.is_forced,
    sessionHours: input.session_hours,
    tokenDays: input.token_days,
  };
}

function changedBy(before: ConnectionReading, given: ConnectionChanges): ConnectionReading {
  return {
    ...before,
    name: given.name ?? before.name,
    clientId: given.clientId ?? before.clientId,
    clientSecret: given.clientSecret === undefined ? before.clientSecret : given.clientSecret,
    scopes: given.scopes ?? before.scopes,
    groupsClaim: given.groupsClaim ?? before.groupsClaim,
    groupGrants: given.groupGrants ?? before.groupGrants,
    syncGrants: given.syncGrants ?? before.syncGrants,
    joinPolicy: given.joinPolicy ?? before.joinPolicy,
    domains: given.domains ?? before.domains,
    joinGrants: given.joinGrants ?? before.joinGrants,
    isForced: given.isForced ?? before.isForced,
    sessionHours: given.sessionHours ?? before.sessionHours,
    tokenDays: given.tokenDays === undefined ? before.tokenDays : given.tokenDays,
  };
}

/** Deletes a connection with its identities, and ends the sessions that it gave. */
export async function deleteConnection(
  context: Context,
  id: ConnectionId,
): Promise<Result<null, OwnerRefusal | "not_found">> {
  const refused = refuseAllButOwner(context);
  if (refused !== null) return refused;
  const connection = await findConnection(context.latestRows, id);
  if (connection === null) return notFound("connection");
  const recorded = connectionWrites(context, "connection.deleted", connection);
  const now = context.clock.now();
  if (!(await removeConnection(context.rows, id, context.token.id, now, recorded)))
    return notFound("connection");
  await forgetSessions(context, now);
  announceLater(context);
  return succeed(null);
}

/** So that this isolate does not accept sessions that have ended just now. */
async function forgetSessions({ latestRows, forgetToken }: Context, now: number): Promise<void> {
  for (const id of await sessionsEndedAt(latestRows, now)) forgetToken(id);
}

function groupGrantsOf(given: readonly GroupGrantInput[]): GroupGrants[] {
  return given.map(({ group, grants }) => ({ group, grants: grantsOf(grants) }));
}

function projectsIn({
  groupGrants,
  joinGrants,
}: Pick<ConnectionReading, "groupGrants" | "joinGrants">): ProjectId[] {
  return projectsOf([...joinGrants, ...groupGrants.flatMap(({ grants }) => grants)]);
}

/** What is wrong with a connection as a whole; null: nothing. */
function problemOf({
  kind,
  scopes,
  groupGrants,
  joinPolicy,
  domains,
  joinGrants,
}: ConnectionReading): FieldError | null {
  if (kind === "oidc" && !scopes.includes("openid"))
    return { pointer: "/scopes", message: "must have openid" };
  const wrong = kind === "github" ? groupGrants.findIndex(({ group }) => !/^\d+$/.test(group)) : -1;
  if (wrong >= 0)
    return {
      pointer: `/group_grants/${wrong}/group`,
      message:
        "must be the number of an organization of GitHub, which the test of the connection shows: somebody else can take a name",
    };
  if ((joinPolicy === "domain" || joinPolicy === "invited") && domains.length === 0)
    return { pointer: "/domains", message: `must not be empty if people join as ${joinPolicy}` };
  if (joinPolicy === "domain" && joinGrants.length === 0 && groupGrants.length === 0)
    return {
      pointer: "/join_grants",
      message: "must not be empty, because people who join could do nothing",
    };
  if (joinPolicy === "group" && groupGrants.length === 0)
    return { pointer: "/group_grants", message: "must not be empty if people join by a group" };
  return null;
}

function refuseConnection(problem: FieldError) {
  const field = problem.pointer.split("/")[1] ?? "";
  return refuse("invalid_request", `The connection is invalid: ${field} ${problem.message}`, [problem]);
}

function refuseProjects(
  groupGrants: readonly GroupGrantInput[],
  joinGrants: readonly GrantInput[],
  unknown: readonly ProjectId[],
) {
  const inGrants = (grants: readonly GrantInput[], pointer: string) =>
    grants.flatMap(({ project_ids: ids }, grant) =>
      (ids ?? []).flatMap((id, at) =>
        unknown.includes(id)
          ? [
              {
                pointer: `${pointer}/${grant}/project_ids/${at}`,
                message: "is not a project of this account",
              },
            ]
          : [],
      ),
    );
  const errors = [
    ...inGrants(joinGrants, "/join_grants"),
    ...groupGrants.flatMap(({ grants }, group) => inGrants(grants, `/group_grants/${group}/grants`)),
  ];
  return refuse("invalid_request", "The account does not have a project that is listed in a grant.", errors);
}

/** The fields of a connection that the audit log records, by the names of the API. */
function shownOf(reading: ConnectionReading) {
  return pick(connectionView(reading, ""), [
    "name",
    "client_id",
    "scopes",
    "groups_claim",
    "group_grants",
    "sync_grants",
    "join",
    "domains",
    "join_grants",
    "is_forced",
    "session_hours",
    "token_days",
  ]);
}

function connectionWrites(
  context: Context,
  type: "connection.created" | "connection.updated" | "connection.deleted",
  connection: ConnectionReading,
  changes: ReturnType<typeof differences> = {},
): Write[] {
  const { id, name, issuer } = connection;
  const changed = Object.keys(changes);
  return requestWrites(context, {
    event: { type, data: { connection: { id, name, issuer }, changed } },
    target: { type: "connection", id, name },
    projectId: null,
    changes:
      type === "connection.created"
        ? mapValues(shownOf(connection), (after) => ({ before: null, after }))
        : changes,
  });
}
