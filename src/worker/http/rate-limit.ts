import type { Refusal } from "#contract/problems.ts";
import { addressKey } from "#worker/http/address-key.ts";

/** The window in which requests are counted, as wrangler.toml has it. */
const WINDOW_SECONDS = 60;

const POLICY = "default";

/**
 * The policy that every answer tells; null where requests are not limited.
 * Source: the IETF draft "RateLimit header fields for HTTP".
 * @param quota requests a minute, as the variable RATE_LIMIT says it; "0" means no limit
 */
export function rateLimitPolicy(quota: string): string | null {
  return quota === "0" ? null : `"${POLICY}";q=${quota};w=${WINDOW_SECONDS}`;
}

/** What a refused request is told of the limit: nothing is left for so many seconds. */
export function exhausted(seconds: number): string {
  return `"${POLICY}";r=0;t=${seconds}`;
}

type TooMany = { readonly ok: false; readonly refusal: Refusal<"rate_limited"> };

/** Counts a request of a token. Returns the refusal once it has made more than it may. */
export async function limitToken(env: Env, tokenId: string): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.TOKEN_LIMIT.limit({ key: tokenId });
  return success ? null : tooMany(`The token has made its ${env.RATE_LIMIT} requests of this minute.`);
}

/**
 * Counts a request with a wrong token. Returns the refusal once its address (IPv6: its /64) has made too many of them. It comes after the
 * token was looked up: before that nobody knows that it is wrong, and a right one must pass, whoever shares its address.
 */
export async function limitFailures(env: Env, { headers }: Request): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  // As Cloudflare saw it: a client cannot set this header. Locally it is not there.
  const address = headers.get("cf-connecting-ip") ?? "local";
  const { success } = await env.FAILURE_LIMIT.limit({ key: addressKey(address) });
  return success ? null : tooMany("This address has sent too many requests with a wrong token.");
}

function isUnlimited(env: Env): boolean {
  return rateLimitPolicy(env.RATE_LIMIT) === null;
}

function tooMany(detail: string): TooMany {
  // The window slides, and the binding does not say how far: a whole one is always enough.
  return { ok: false, refusal: { code: "rate_limited", detail, retryAfter: WINDOW_SECONDS } };
}
