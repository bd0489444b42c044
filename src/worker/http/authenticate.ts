import type { Context as HonoContext } from "hono";

import { type Access, scopeOf } from "#contract/endpoints/endpoint.ts";
import type { OperationName } from "#contract/endpoints/endpoints.ts";
import { missingPermission } from "#contract/may-call.ts";
import { reachOf } from "#contract/permissions.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { AgentRequestContext, Context, OpenContext, RequestOrigin, Services } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { TokenHolder } from "#worker/db/tokens/find-token-holder.ts";
import type { AgentIdentity } from "#worker/db/servers/server-records.ts";
import { DatabaseSession, isBookmark } from "#worker/db/database-session.ts";
import type { AppEnv } from "#worker/http/app.ts";
import type { Authentication } from "#worker/http/find-caller.ts";
import { lackText } from "#worker/http/lack-text.ts";
import type { Authenticate } from "#worker/http/register-routes.ts";
import {
  limitAgent,
  limitClaims,
  limitExchanges,
  limitFailures,
  limitRefusals,
  limitToken,
} from "#worker/http/rate-limit.ts";

const malformedBookmark = refuse("invalid_request", "The header Gantry-Bookmark is not valid.", [
  { pointer: "Gantry-Bookmark", message: "must be a Gantry-Bookmark header of an earlier response" },
]);

type ServicesOf = (c: HonoContext<AppEnv>) => Services;

/** Authenticates an API token or a session, and checks that it has the endpoint's scope. */
export function authenticateToken(
  authentication: Authentication,
  servicesOf: ServicesOf,
): Authenticate<Context> {
  return async (c, { access }, operation) => {
    const services = servicesOf(c);
    const authorization = c.req.header("authorization") ?? null;
    const bookmark = c.req.header("gantry-bookmark") ?? null;
    const session = openSession(c, bookmark);
    // Reads the primary: a replica may not have the revocation of a token yet.
    const holder = await authentication.asTokenHolder(c.env.DB, authorization, services.clock.now());
    if (!holder.ok) return (await limitFailures(c.env, c.req.raw)) ?? holder;
    c.set("holder", holder.value);
    const { account, token, member, permissions } = holder.value;
    const limited = await limitToken(c.env, token.id);
    if (limited !== null) return limited;
    const refused = refuseLack(access, holder.value);
    if (refused !== null) return refused;
    if (bookmark !== null && !isBookmark(bookmark)) return malformedBookmark;
    // What is a person's own, such as their sessions, is in no project.
    const isOwn = access.by === "token" && access.reach === "person";
    const reach = isOwn ? null : reachOf(permissions, scopeOf(access));
    return succeed({
      ...services,
      rows: new AccountRows(session.database, account.id, reach),
      latestRows: new AccountRows(c.env.DB, account.id, reach),
      session,
      account,
      token,
      member,
      permissions,
      forgetToken: (id) => authentication.forgetToken(id),
      forgetMember: (id) => authentication.forgetMember(id),
      isStillAllowed: () => authentication.holds(c.env.DB, authorization, holder.value, services.clock.now()),
      request: originOf(c, operation),
      requestKey: null,
    });
  };
}

/** Authenticates a server's agent. */
export function authenticateAgent(
  authentication: Authentication,
  servicesOf: ServicesOf,
): Authenticate<AgentRequestContext> {
  return async (c) => {
    const services = servicesOf(c);
    const agent = await findCallingAgent(c, authentication, services.clock.now());
    if (!agent.ok) return agent;
    const { accountId, serverId } = agent.value;
    return succeed({ ...services, rows: new AccountRows(c.env.DB, accountId), serverId });
  };
}

/** The agent that sent the request. Refuses an invalid credential, and too many requests. @param now Unix milliseconds */
export async function findCallingAgent(
  c: HonoContext<AppEnv>,
  authentication: Authentication,
  now: number,
): Promise<Result<AgentIdentity>> {
  const authorization = c.req.header("authorization") ?? null;
  const agent = await authentication.asAgent(c.env.DB, authorization, now);
  if (!agent.ok) return (await limitFailures(c.env, c.req.raw)) ?? agent;
  return (await limitAgent(c.env, agent.value.serverId)) ?? agent;
}

function refuseLack(access: Access, { token, member, permissions }: TokenHolder) {
  const isSignedIn = token.kind === "session" && member !== null;
  if (access.by === "token" && access.reach === "person" && !isSignedIn)
    return refuse(
      "person_required",
      "Only a member who is signed in can do this. Sign in to the dashboard with a passkey.",
    );
  switch (missingPermission(access, permissions)) {
    case "scope":
      return refuse("insufficient_scope", `${lackText(scopeOf(access), "", { token, member })}.`);
    case "account":
      return refuse(
        "insufficient_scope",
        "The token is limited to some projects, but this endpoint affects the whole account.",
      );
    case null:
      return null;
  }
}

function openSession(c: HonoContext<AppEnv>, bookmark: string | null): DatabaseSession {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const from = bookmark !== null && isBookmark(bookmark) ? bookmark : "first-unconstrained";
  const session = new DatabaseSession(c.env.DB, isRead ? from : "first-primary");
  c.set("session", session);
  return session;
}

function originOf(c: HonoContext<AppEnv>, operation: OperationName): RequestOrigin {
  return { id: c.get("requestId"), ip: c.req.header("cf-connecting-ip") ?? null, operation };
}

/** For endpoints without authentication. */
export function allowAnyone(servicesOf: ServicesOf): Authenticate<OpenContext> {
  return async (c, _endpoint, operation) =>
    succeed({
      ...servicesOf(c),
      database: c.env.DB,
      request: originOf(c, operation),
      raw: c.req.raw,
      limitFailures: () => limitFailures(c.env, c.req.raw),
      limitClaims: () => limitClaims(c.env, c.req.raw),
      limitExchanges: (id) => limitExchanges(c.env, id),
      limitRefusals: (id) => limitRefusals(c.env, id),
    });
}
