import type { Context as HonoContext } from "hono";

import type { Endpoint } from "#contract/endpoint.ts";
import { endpoints, type OperationName } from "#contract/endpoints.ts";
import type { Refusal, Result } from "#contract/problems.ts";
import type { App, AppEnv } from "#worker/http/app.ts";
import type { Answer, Handler, Handlers } from "#worker/http/handler.ts";
import { problemResponse } from "#worker/http/problem-response.ts";
import { readInput } from "#worker/http/read-input.ts";

/** Tells who calls, and whether they may call this endpoint at all. */
export type Enter<Caller> = (c: HonoContext<AppEnv>, endpoint: Endpoint) => Promise<Result<Caller>>;

/** Routes the endpoints that have a handler here: who calls, what they ask, the handler, the answer. */
export function implement<Names extends OperationName, Caller>(
  app: App,
  handlers: Handlers<Names, Caller>,
  enter: Enter<Caller>,
): void {
  for (const name of Object.keys(handlers).filter((key) => isKeyOf(handlers, key)))
    route(app, endpoints[name], handlers[name], enter);
}

function route<Of extends Endpoint, Caller>(
  app: App,
  endpoint: Of,
  handler: Handler<Of, Caller>,
  enter: Enter<Caller>,
): void {
  app.on(endpoint.method, endpoint.path, async (c) => {
    const caller = await enter(c, endpoint);
    if (!caller.ok) return refused(c, caller.refusal, endpoint);
    const input = await readInput(endpoint, c.req.raw, c.req.param());
    if (!input.ok) return refused(c, input.refusal, endpoint);
    const result = await handler(caller.value, input.value);
    return result.ok ? answered(endpoint, result.value) : refused(c, result.refusal, endpoint);
  });
}

function answered(endpoint: Endpoint, answer: Answer<unknown>): Response {
  if ("response" in answer) return answer.response;
  const { status } = endpoint.success;
  const headers = new Headers(answer.headers);
  if (endpoint.alsoAs.length > 0) headers.set("vary", "accept");
  if (status === 204) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify(answer.body), { status, headers });
}

function refused(c: HonoContext<AppEnv>, refusal: Refusal, { access }: Endpoint): Response {
  const scope = access.by === "token" ? access.scope : null;
  return problemResponse(refusal, {
    requestId: c.var.requestId,
    origin: new URL(c.req.url).origin,
    scope,
  });
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}
