import type { Context as HonoContext } from "hono";
import * as z from "zod/mini";

import { type Endpoint, scopeOf } from "#contract/endpoints/endpoint.ts";
import type { OperationName } from "#contract/endpoints/endpoints.ts";
import { type RequestLine, requestLines } from "#contract/endpoints/request-lines.ts";
import { ProjectId } from "#contract/ids.ts";
import { type Refusal, type Result, succeed } from "#contract/problems.ts";
import type { Services } from "#worker/context.ts";
import type { App, AppEnv } from "#worker/http/app.ts";
import { withEntityTag } from "#worker/http/entity-tag.ts";
import type { Answer, Input } from "#worker/http/handler.ts";
import { problemResponse } from "#worker/http/problem-response.ts";
import { readInput } from "#worker/http/read-input.ts";
import type { Route, Routes } from "#worker/http/routes.ts";

/** Authenticates the caller, and checks that they may call the endpoint. */
export type Authenticate<Caller> = (
  c: HonoContext<AppEnv>,
  endpoint: Endpoint,
  operation: OperationName,
) => Promise<Result<Caller>>;

/** A request that was authenticated and validated. */
export type CheckedRequest<Caller> = {
  readonly c: HonoContext<AppEnv>;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly input: Pick<Input<Endpoint>, "body" | "ifLive" | "sent">;
};

/** Wraps a handler: it may change the caller, answer instead of the handler, or refuse. */
export type Wrap<Caller> = (
  checked: CheckedRequest<Caller>,
  act: (caller: Caller) => Promise<Response>,
) => Promise<Result<Response>>;

/** If a body takes longer to arrive, its sender is authenticated again. */
const SLOW_BODY_MS = 1_000;

/**
 * If a read takes longer, such as a request that waits for new output, its token is checked again before the answer is
 * sent.
 */
const SLOW_READ_MS = 5_000;

/** Registers the routes: each authenticates, validates, calls the handler and builds the response. */
export function registerRoutes<Names extends OperationName, Caller extends Pick<Services, "clock">>(
  app: App,
  routes: Routes<Names, Caller>,
  authenticate: Authenticate<Caller>,
  wrap: Wrap<Caller> = async ({ caller }, act) => succeed(await act(caller)),
): void {
  for (const name of Object.keys(routes).filter((key) => isKeyOf(routes, key)))
    register(app, name, routes[name], authenticate, wrap);
}

function register<Of extends Endpoint, Caller extends Pick<Services, "clock">>(
  app: App,
  operation: OperationName,
  find: () => Promise<Route<Of, Caller>>,
  authenticate: Authenticate<Caller>,
  wrap: Wrap<Caller>,
): void {
  const { method, path }: RequestLine = requestLines[operation];
  app.on(method, path, async (c) => {
    const params = c.req.param();
    c.set("called", { operation, params });
    const { endpoint, handler } = await find();
    const sender = await authenticate(c, endpoint, operation);
    if (!sender.ok) return refused(c, sender.refusal, endpoint);
    const { clock } = sender.value;
    const authenticatedAt = clock.now();
    const address = { params, url: c.get("addressed"), origin: c.get("origin") };
    const input = await readInput(endpoint, c.req.raw, address);
    if (!input.ok) return refused(c, input.refusal, endpoint);
    c.set("called", { operation, params: { ...projectIn(input.value), ...params } });
    // A thief of a token could begin requests before it is revoked, and end their bodies afterwards.
    const isSlow = clock.now() - authenticatedAt >= SLOW_BODY_MS;
    const caller = isSlow ? await authenticate(c, endpoint, operation) : sender;
    if (!caller.ok) return refused(c, caller.refusal, endpoint);
    const act = async (as: Caller) => {
      const result = await handler(as, input.value);
      const hasWaited = endpoint.method === "GET" && clock.now() - authenticatedAt >= SLOW_READ_MS;
      const reader = hasWaited ? await authenticate(c, endpoint, operation) : caller;
      if (!reader.ok) return refused(c, reader.refusal, endpoint);
      return result.ok
        ? await answered(c.req.raw, endpoint, result.value)
        : refused(c, result.refusal, endpoint);
    };
    const response = await wrap({ c, endpoint, caller: caller.value, input: input.value }, act);
    return response.ok ? response.value : refused(c, response.refusal, endpoint);
  });
}

const WithProject = z.object({ body: z.object({ project_id: ProjectId }) });

/** The project that the body of a request names, as a parameter of its path would. */
function projectIn(input: unknown): { readonly project_id?: ProjectId } {
  const named = WithProject.safeParse(input);
  return named.success ? { project_id: named.data.body.project_id } : {};
}

async function answered(request: Request, endpoint: Endpoint, answer: Answer<unknown>): Promise<Response> {
  if ("response" in answer) return answer.response;
  const { status } = endpoint.success;
  const headers = new Headers(answer.headers);
  if (endpoint.alsoAs.length > 0) headers.set("vary", "accept");
  if (status === 204) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  const body = JSON.stringify(answer.body);
  return endpoint.method === "GET"
    ? await withEntityTag(request, body, headers)
    : new Response(body, { status, headers });
}

function refused(c: HonoContext<AppEnv>, refusal: Refusal, { access, isOAuth }: Endpoint): Response {
  c.set("refusal", refusal.code);
  return problemResponse(c, refusal, { scope: scopeOf(access), isOAuth });
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}
