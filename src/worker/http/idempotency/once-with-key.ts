import { succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { answerOnce } from "#worker/http/idempotency/answer-once.ts";
import { readIdempotencyKey } from "#worker/http/idempotency/idempotency-key.ts";
import type { Wrap } from "#worker/http/register-routes.ts";

/** Carries out a request with an Idempotency-Key once, and a request without a key each time. */
export const onceWithKey: Wrap<Context> = async ({ c, endpoint, caller, input }, act) => {
  const key = readIdempotencyKey(endpoint, c.req.header("idempotency-key") ?? null);
  if (!key.ok) return key;
  if (key.value === null) return succeed(await act(caller));
  const content = JSON.stringify([c.req.method, c.req.path, input.ifLive, input.body]);
  // Without the scheme, which is case-insensitive: the same secret must always give the same encryption key.
  const secret = c.req.header("authorization")?.split(" ").at(-1) ?? "";
  return await answerOnce(caller, { key: key.value, content, secret }, act);
};
