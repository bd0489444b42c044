import { createIdGenerator } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { type IdempotencyRecord, keepAnswer, reserveIdempotencyKey } from "#worker/db/idempotency-keys.ts";
import { AnswerSeal, derivedBytes, type KeptAnswer } from "#worker/http/idempotency/sealed-answer.ts";
import { logFailure } from "#worker/log-failure.ts";
import { sha256, toHex } from "#worker/sha256.ts";

/** How many bytes of ids and secrets one request can need, many times over. */
const SEEDED_BYTES = 2048;

const KEPT_HEADERS = ["content-type", "location"];

export type KeyedRequest = {
  readonly key: string;
  /** All that makes it this request and no other. */
  readonly content: string;
  /** The bearer secret that it came with. */
  readonly secret: string;
};

/**
 * Carries out a request with an Idempotency-Key once, however often it is sent: the answer of the first success is
 * given again. A try that died before its answer was kept is simply made again, because it makes the same ids and
 * secrets: what it has already made is found to be there. So two at the same instant need not wait for each other.
 *
 * @param act carries the request out; a success is a 2xx
 */
export async function answerOnce(
  context: Context,
  request: KeyedRequest,
  act: (context: Context) => Promise<Response>,
): Promise<Result<Response, "idempotency_mismatch">> {
  const id = await sha256(`${context.token.id} ${request.key}`);
  const fingerprint = await sha256(request.content);
  const seed = toHex(context.randomBytes(16));
  const record = await reserveIdempotencyKey(context.rows, {
    id,
    fingerprint,
    seed,
    createdAt: context.clock.now(),
  });
  if (record.fingerprint !== fingerprint) {
    return refuse(
      "idempotency_mismatch",
      "The Idempotency-Key was used for another request. Use a new key for this one.",
    );
  }
  const seal = new AnswerSeal(request.secret, `idempotent answer ${id}`);
  if (record.answer !== null) {
    const kept = await seal.open(record.answer);
    return kept === null ? sealedByAnotherSecret : succeed(replayed(kept));
  }
  const response = await act(await seeded(context, record, request.secret));
  if (!response.ok) return succeed(response);
  const kept = await keptAnswer(response);
  try {
    await keepAnswer(context.rows, id, await seal.seal(kept, Uint8Array.from(context.randomBytes(12))));
  } catch (error) {
    // It is done, and another try would find it so: no reason to say that it was not.
    logFailure("idempotency", { what: "keep answer", id }, error);
  }
  return succeed(answerFrom(kept));
}

const sealedByAnotherSecret = refuse(
  "idempotency_mismatch",
  "The Idempotency-Key was used with an earlier secret of this token, before it was rotated. Use a new key.",
);

/** The context with a time, ids and secrets that come out the same for each try of one request. */
async function seeded(
  context: Context,
  { id, seed, createdAt }: IdempotencyRecord,
  secret: string,
): Promise<Context> {
  const bytes = await derivedBytes(secret, `idempotent try ${id} ${seed}`, SEEDED_BYTES);
  let used = 0;
  const randomBytes = (count: number) => {
    used += count;
    if (used > SEEDED_BYTES) throw new Error("a request needs more random bytes than it was given");
    return bytes.slice(used - count, used);
  };
  const clock = { now: () => createdAt };
  return {
    ...context,
    clock,
    randomBytes,
    ids: createIdGenerator({ ...clock, randomBytes }),
    // With the seed: the same key means another request once its record is gone, whatever others remember of it.
    requestKey: `${id} ${seed}`,
  };
}

async function keptAnswer(response: Response): Promise<KeptAnswer> {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}

function answerFrom({ status, headers, body }: KeptAnswer): Response {
  return new Response(body, { status, headers });
}

function replayed(kept: KeptAnswer): Response {
  return answerFrom({ ...kept, headers: { ...kept.headers, "idempotent-replayed": "true" } });
}
