import type { ServerId } from "#contract/ids.ts";
import type { Refusal } from "#contract/problems.ts";
import { addressKey } from "#worker/http/address-key.ts";

/** The window in which requests are counted, as wrangler.toml has it. */
const WINDOW_SECONDS = 60;

/** The same of an agent's requests. It is short, because an agent that waits has something to tell. */
const AGENT_WINDOW_SECONDS = 10;

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

/** Counts a request of a server's agent. Returns the refusal once it has made more than any agent has to. */
export async function limitAgent(env: Env, serverId: ServerId): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.AGENT_LIMIT.limit({ key: serverId });
  return success ? null : tooMany("The agent has made too many requests.", AGENT_WINDOW_SECONDS);
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

function tooMany(detail: string, retryAfter = WINDOW_SECONDS): TooMany {
  // The window slides, and the binding does not say how far: a whole one is always enough.
  return { ok: false, refusal: { code: "rate_limited", detail, retryAfter } };
}
