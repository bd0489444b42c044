import * as z from "zod/mini";

import { listUpTo } from "#contract/bounds.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { readBytes } from "#worker/http/read-body.ts";
import { IssuerKey } from "#worker/identity/identity-token.ts";

const FRESH_MS = 10 * 60 * 1000;
/** An unknown key can be a new one. A sender who invents key ids must not cause a request each time. */
const RETRY_MS = 60 * 1000;
/** How long cached keys are used while the issuer does not answer. */
const STALE_MS = 24 * 60 * 60 * 1000;
const TIMEOUT_MS = 5_000;
/** How often a request looks for the keys that another one reads. */
const POLL_MS = 100;
const MAX_BYTES = 200_000;
const MAX_KEYS = 50;
/** The most issuers whose keys are kept. */
const MAX_ISSUERS = 100;

const Configuration = z.object({ issuer: z.string(), jwks_uri: z.string() });
const KeySet = z.object({ keys: listUpTo(z.unknown(), MAX_KEYS) });

type Entry = {
  readonly keys: readonly IssuerKey[];
  /** When the keys were read; `triedAt`: when they were asked for last. */
  readonly readAt: number;
  readonly triedAt: number;
  /** Why the last try failed; null: it did not, or is under way. */
  readonly problem: string | null;
};

const EMPTY: Entry = { keys: [], readAt: 0, triedAt: 0, problem: null };

type Keys = ResultOf<readonly IssuerKey[], { readonly problem: string }>;

/** What the keys of issuers are read with. `targetProblem`: why an address must not be asked; null: it may. */
type Reading = { readonly now: number; readonly targetProblem: (url: string) => string | null };

/** The public keys of issuers, read from where OpenID Connect Discovery 1.0 says. One instance per isolate. */
export class IssuerKeys {
  readonly #entries = new Map<string, Entry>();

  /**
   * The keys of an issuer, if one has this id. Asks the issuer if the keys are older than ten minutes, or if no key has the
   * id, at most once a minute. While it does not answer, cached keys are used for a day. A problem is a sentence, and can pass.
   */
  async of(issuer: string, keyId: string | null, { now, targetProblem }: Reading): Promise<Keys> {
    if (this.#isReadingFirst(issuer)) await this.#waitForFirstKeys(issuer);
    const known = this.#entries.get(issuer) ?? EMPTY;
    const isFresh = now - known.readAt < FRESH_MS;
    if ((isFresh && hasKey(known, keyId)) || now - known.triedAt < RETRY_MS) return usable(known, keyId, now);
    const refusal = targetProblem(issuer);
    // Not cached: it depends on the request.
    if (refusal !== null) return failed(`${issuer} cannot be reached from this installation: ${refusal}`);
    // Before the read, so that requests at the same time do not read too.
    this.#set(issuer, { ...known, triedAt: now, problem: null });
    const read = await readKeys(issuer, targetProblem);
    const latest = this.#entries.get(issuer) ?? EMPTY;
    // Another request may have read newer keys meanwhile.
    if (read.ok) this.#set(issuer, { keys: read.value, readAt: now, triedAt: now, problem: null });
    else if (latest.readAt <= known.readAt) this.#set(issuer, { ...latest, problem: read.problem });
    return usable(this.#entries.get(issuer) ?? EMPTY, keyId, now);
  }

  /** While another request reads the first keys. It cannot be awaited itself: workerd refuses promises of other requests. */
  async #waitForFirstKeys(issuer: string): Promise<void> {
    for (let waits = 0; waits < TIMEOUT_MS / POLL_MS && this.#isReadingFirst(issuer); waits += 1)
      await scheduler.wait(POLL_MS);
  }

  #isReadingFirst(issuer: string): boolean {
    const entry = this.#entries.get(issuer);
    return entry !== undefined && entry.readAt === 0 && entry.problem === null;
  }

  #set(issuer: string, entry: Entry): void {
    this.#entries.delete(issuer);
    this.#entries.set(issuer, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ISSUERS) break;
      this.#entries.delete(oldest);
    }
  }
}

function hasKey({ keys }: Entry, keyId: string | null): boolean {
  return keys.some(({ kid }) => keyId === null || kid === keyId);
}

function usable(entry: Entry, keyId: string | null, now: number): Keys {
  const { keys, readAt, problem } = entry;
  const isTooOld = problem !== null && now - readAt > STALE_MS;
  if (hasKey(entry, keyId) && !isTooOld) return succeed(keys);
  return failed(problem ?? "The issuer has no key with the id that the token names.");
}

type TargetProblem = Reading["targetProblem"];

async function readKeys(issuer: string, targetProblem: TargetProblem): Promise<Keys> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await readJson(address, targetProblem);
  if (!found.ok) return found;
  const configuration = Configuration.safeParse(found.value);
  if (!configuration.success) return failed(`${address} has no issuer and jwks_uri.`);
  const { issuer: named, jwks_uri: keysAddress } = configuration.data;
  // Source: OpenID Connect Discovery 1.0 section 4.3.
  if (named !== issuer)
    return failed(
      `${address} names the issuer ${named}. The trust rule must name it in the same way: ${named}`,
    );
  if (!URL.canParse(keysAddress)) return failed(`${address} has no valid jwks_uri.`);
  const answer = await readJson(keysAddress, targetProblem);
  if (!answer.ok) return answer;
  const set = KeySet.safeParse(answer.value);
  if (!set.success) return failed(`${keysAddress} has no list of keys.`);
  // One key of an unknown form must not hide the others.
  const keys = set.data.keys.flatMap((key) => IssuerKey.safeParse(key).data ?? []);
  return keys.length === 0 ? failed(`${keysAddress} has no keys.`) : succeed(keys);
}

async function readJson(
  address: string,
  targetProblem: TargetProblem,
): Promise<ResultOf<unknown, { readonly problem: string }>> {
  const refusal = targetProblem(address);
  if (refusal !== null) return failed(`${address} cannot be reached from this installation: ${refusal}`);
  try {
    const answer = await fetch(address, {
      // A redirect could lead to an address of somebody else.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: "application/json" },
    });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      return failed(`${address} answers with status ${answer.status}.`);
    }
    const bytes = await readBytes(answer.body, MAX_BYTES);
    if (bytes === null) return failed(`${address} answers with more than ${MAX_BYTES} bytes.`);
    return succeed(parseJson(new TextDecoder().decode(bytes)));
  } catch {
    return failed(`${address} does not answer within ${TIMEOUT_MS / 1000} seconds.`);
  }
}

function failed(problem: string) {
  return { ok: false, problem } as const;
}
