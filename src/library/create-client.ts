import { exchange } from "#client/exchange.ts";
import { type RetryOptions, withRetry } from "#client/with-retry.ts";
import { type Call, calls } from "#library/calls.ts";
import type { ClientOptions, GantryClient, ListMethods, OperationMethods } from "#library/client-types.ts";
import { followEvents, followLog } from "#library/follow.ts";
import { type CallRequest, rowsOf } from "#library/iterate.ts";
import { GantryProblem } from "#library/problem.ts";
import { transportOf, withTimeout } from "#library/transport.ts";
import { waitFor } from "#library/wait-for.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_MS = 30_000;

/** Creates a client of an installation. It sends nothing before a method is called. @throws TypeError if `url` is no address */
export function createClient(options: ClientOptions): GantryClient {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retryForMs = DEFAULT_RETRY_MS } = options;
  const transport = transportOf(options);
  const onWaiting: RetryOptions["onWaiting"] = (problem, ms) =>
    options.onWaiting?.(new GantryProblem(problem), ms);
  const timed = withTimeout(transport, timeoutMs);
  const { methods, iterate } = methodsOf(async (call, { idempotencyKey, ...request }) => {
    const { signal } = request;
    const key = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const result = await withRetry(
      call.repeats,
      { ...request, headers: { ...key, ...request.headers } },
      (repeated) => exchange(call, repeated, timed, readAnswer),
      { retryForMs, now, newKey, onWaiting, ...(signal === undefined ? {} : { signal }) },
    );
    if (result.ok) return result.value;
    signal?.throwIfAborted();
    const { problem, unanswered = 0 } = result;
    // A try whose answer was lost has deleted it.
    if (call.method === "DELETE" && unanswered > 0 && problem.code === "not_found") return null;
    throw new GantryProblem(problem);
  });
  const following: Pick<GantryClient, "followLog" | "followEvents"> = {
    followLog: (id, given) => followLog({ transport, timed, onWaiting }, id, given),
    followEvents: (given) => followEvents({ transport, onWaiting }, given),
  };
  const waiting = { getDeployment: methods.getDeployment, followLog: following.followLog };
  return {
    ...methods,
    ...following,
    iterate,
    waitFor: (deployment, given) => waitFor(waiting, deployment, given),
  };
}

const now = (): number => performance.now();

/** Not `randomUUID`, which browsers offer over HTTPS only. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** An answer is an object, or nothing. A page of a proxy is neither. */
function readAnswer(data: unknown, status: number) {
  const isAnswer = status === 204 || (typeof data === "object" && data !== null);
  return isAnswer ? ({ success: true, data } as const) : ({ success: false } as const);
}

type Send = (call: Call, request: CallRequest) => Promise<unknown>;

// Overloaded because TypeScript cannot derive from a loop over the table that each of its names gets a method.
function methodsOf(send: Send): { readonly methods: OperationMethods; readonly iterate: ListMethods };
function methodsOf(send: Send): { readonly methods: object; readonly iterate: object } {
  const table = Object.entries<Call>(calls);
  const methods = table.map(
    ([name, call]) => [name, (request: CallRequest = {}) => send(call, request)] as const,
  );
  const lists = table.flatMap(([name, call]) => {
    const { rows } = call;
    if (rows === undefined) return [];
    const iterate = (request: CallRequest = {}) => rowsOf((one) => send(call, one), rows, request);
    return [[name, iterate] as const];
  });
  return { methods: Object.fromEntries(methods), iterate: Object.fromEntries(lists) };
}
