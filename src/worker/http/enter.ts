import { refuse, succeed } from "#contract/problems.ts";
import { scopesAllow } from "#contract/scopes.ts";
import type { AgentContext, Context, OpenContext, Services } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { Authentication } from "#worker/http/authentication.ts";
import type { Enter } from "#worker/http/implement.ts";

type ServicesOf = (env: Env, request: Request) => Services;

/** Lets in who holds a token with the endpoint's scope. */
export function enterWithToken(authentication: Authentication, servicesOf: ServicesOf): Enter<Context> {
  return async (c, { access }) => {
    const services = servicesOf(c.env, c.req.raw);
    const authorization = c.req.header("authorization") ?? null;
    const holder = await authentication.asTokenHolder(c.env.DB, authorization, services.clock.now());
    if (!holder.ok) return holder;
    const { account, token } = holder.value;
    const scope = access.by === "token" ? access.scope : null;
    if (scope !== null && !scopesAllow(token.scopes, scope))
      return refuse("insufficient_scope", `The token lacks the scope ${scope}.`);
    return succeed({
      ...services,
      rows: new AccountRows(c.env.DB, account.id, token.projectIds),
      account,
      token,
    });
  };
}

/** Lets in a server's agent. */
export function enterAsAgent(authentication: Authentication, servicesOf: ServicesOf): Enter<AgentContext> {
  return async (c) => {
    const services = servicesOf(c.env, c.req.raw);
    const authorization = c.req.header("authorization") ?? null;
    const agent = await authentication.asAgent(c.env.DB, authorization, services.clock.now());
    if (!agent.ok) return agent;
    const { accountId, serverId } = agent.value;
    return succeed({ ...services, rows: new AccountRows(c.env.DB, accountId), serverId });
  };
}

/** Lets in anybody. */
export function enterFreely(servicesOf: ServicesOf): Enter<OpenContext> {
  return async (c) => succeed({ ...servicesOf(c.env, c.req.raw), database: c.env.DB });
}
