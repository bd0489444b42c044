import { type AuditEntryId, createIdGenerator } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { type IdempotencyRecord, storeAnswer, reserveIdempotencyKey } from "#worker/db/idempotency-keys.ts";
import { AnswerSeal, derivedBytes, type StoredAnswer } from "#worker/http/idempotency/sealed-answer.ts";
import { logFailure } from "#worker/log-failure.ts";
import { sha256, toHex } from "#sealing/bytes.ts";
import type { Wrap } from "#worker/http/register-routes.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";

/** Random bytes for the ids and secrets of one request: many times what any request needs. */
const SEEDED_BYTES = 2048;

const STORED_HEADERS = ["content-type", "location"];

type KeyedRequest = {
  readonly key: string;
  /** Everything that identifies the request: method, path, headers and body. */
  readonly content: string;
  /** The request's bearer secret. */
  readonly secret: string;
};

/**
 * Carries out a request with an Idempotency-Key once, and repeats the response of the first success for retries. If a
 * try dies before its response is stored, the retry runs the request again with the same ids and secrets, and finds what
 * the first try created. So concurrent retries need no lock.
 *
 * @param act carries out the request; a success is a 2xx
 * @param named takes the id of the request's entry in the audit log, which is the same for each retry
 */
async function answerOnce(
  context: Context,
  request: KeyedRequest,
  act: (context: Context) => Promise<Response>,
  named: (entryId: AuditEntryId) => void,
): Promise<Result<Response, "idempotency_mismatch">> {
  const id = await sha256(`${context.token.id} ${request.key}`);
  // With the bearer secret, so that a reader of the database cannot try out which password the content contains.
  const fingerprint = await sha256(`${request.secret}\n${request.content}`);
  const seed = toHex(context.randomBytes(16));
  const record = await reserveIdempotencyKey(context.rows, {
    id,
    fingerprint,
    seed,
    createdAt: context.clock.now(),
  });
  const seal = new AnswerSeal(request.secret, `idempotent answer ${id}`);
  const stored = record.answer === null ? null : await seal.open(record.answer);
  if (record.answer !== null && stored === null) return sealedByAnotherSecret;
  if (record.fingerprint !== fingerprint)
    return refuse(
      "idempotency_mismatch",
      "The Idempotency-Key was used for another request. Use a new key for this one.",
    );
  const once = await seeded(context, record, request.secret);
  named(once.ids.auditEntry());
  if (stored !== null) return succeed(replayed(stored));
  const response = await act(once);
  if (!response.ok) return succeed(response);
  const answer = await storedAnswer(response);
  try {
    const sealed = await seal.seal(answer, Uint8Array.from(context.randomBytes(12)));
    if (!(await storeAnswer(context.rows, id, sealed))) return succeed(replayed(answer));
  } catch (error) {
    // The request succeeded, and a retry will find its result. So this failure does not change the response.
    logFailure("idempotency", { what: "store response", id }, error);
  }
  return succeed(answerFrom(answer));
}

const sealedByAnotherSecret = refuse(
  "idempotency_mismatch",
  "The Idempotency-Key was used with an earlier secret of this token, before it was rotated. Use a new key.",
);

/**
 * The context with ids and secrets that are the same for each retry of one request. The clock is not: what a retry does
 * happens at its own time, also if an earlier try was refused hours ago.
 */
async function seeded(
  context: Context,
  { id, seed, createdAt }: IdempotencyRecord,
  secret: string,
): Promise<Context> {
  const bytes = await derivedBytes(secret, `idempotent try ${id} ${seed}`, SEEDED_BYTES);
  let used = 0;
  const randomBytes = (count: number) => {
    used += count;
    if (used > SEEDED_BYTES) throw new Error("a request used more random bytes than it can have");
    return bytes.slice(used - count, used);
  };
  return {
    ...context,
    randomBytes,
    ids: createIdGenerator({ now: () => createdAt, randomBytes }),
    // Contains the seed: after the record has expired, the same key is a new request, also for lanes that stored the old one.
    requestKey: `${id} ${seed}`,
  };
}

async function storedAnswer(response: Response): Promise<StoredAnswer> {
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}

function answerFrom({ status, headers, body }: StoredAnswer): Response {
  return new Response(body, { status, headers });
}

function replayed(stored: StoredAnswer): Response {
  return answerFrom({ ...stored, headers: { ...stored.headers, "idempotent-replayed": "true" } });
}

/** Carries out a request with an Idempotency-Key once, and a request without a key each time. */
export const onceWithKey: Wrap<Context> = async ({ c, endpoint, caller, input }, act) => {
  const key = readIdempotencyKey(endpoint, c.req.header("idempotency-key") ?? null);
  if (!key.ok) return key;
  if (key.value === null) return succeed(await act(caller));
  const content = JSON.stringify([c.req.method, c.req.path, input.ifLive, input.body]);
  // Without the scheme, which is case-insensitive: the same secret must always give the same encryption key.
  const secret = c.req.header("authorization")?.split(" ").at(-1) ?? "";
  const named = (entryId: AuditEntryId) => c.set("keyedEntryId", entryId);
  return await answerOnce(caller, { key: key.value, content, secret }, act, named);
};

/** Source: the IETF draft "The Idempotency-Key HTTP Header Field". Gantry chose the length. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's Idempotency-Key; null without one, or if the endpoint ignores it. */
function readIdempotencyKey(
  endpoint: Endpoint,
  header: string | null,
): Result<string | null, "invalid_request"> {
  if (header === null || !takesIdempotencyKey(endpoint)) return succeed(null);
  if (KEY.test(header)) return succeed(header);
  return refuse("invalid_request", "The header Idempotency-Key is not valid.", [
    { pointer: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" },
  ]);
}
