import type { MemberId, ServerId, TokenId, TrustRuleId } from "#contract/ids.ts";
import type { Refusal } from "#contract/problems.ts";

/** The window in which requests are counted, as in wrangler.toml. */
const WINDOW_SECONDS = 60;

/** The window for an agent's requests. It is short so that an agent does not have to wait long to report. */
const AGENT_WINDOW_SECONDS = 10;

const POLICY = "default";

/**
 * The RateLimit-Policy header of every response; null if requests are not limited.
 * Source: the IETF draft "RateLimit header fields for HTTP".
 * @param quota requests per minute, from the variable RATE_LIMIT; "0": no limit
 */
export function rateLimitPolicy(quota: string): string | null {
  return quota === "0" ? null : `"${POLICY}";q=${quota};w=${WINDOW_SECONDS}`;
}

/** The RateLimit header of a refused request: no requests left for this many seconds. */
export function exhausted(seconds: number): string {
  return `"${POLICY}";r=0;t=${seconds}`;
}

type TooMany = { readonly ok: false; readonly refusal: Refusal<"rate_limited"> };

/** Counts a request of a token. @returns a refusal if the token exceeds its limit */
export async function limitToken(env: Env, tokenId: string): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.TOKEN_LIMIT.limit({ key: tokenId });
  return success ? null : tooMany(`The token has made its ${env.RATE_LIMIT} requests of this minute.`);
}

/** Counts a token that a job gets by a trust rule. @returns a refusal if the rule exceeds the limit of a token */
export async function limitExchanges(env: Env, ruleId: TrustRuleId): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.TOKEN_LIMIT.limit({ key: ruleId });
  return success ? null : tooMany(`The trust rule has given its ${env.RATE_LIMIT} tokens of this minute.`);
}

/**
 * Counts a command that asks whether a person has allowed it to sign in. @returns a refusal if its address has asked as often as a token
 * may send requests: most of these requests get nothing, so they do not count as failures
 */
export async function limitClaims(env: Env, request: Request): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.TOKEN_LIMIT.limit({ key: `claim ${addressOf(request)}` });
  return success ? null : tooMany(`This address has made its ${env.RATE_LIMIT} requests of this minute.`);
}

/** Counts a request of a server's agent. @returns a refusal if it exceeds what any agent needs */
export async function limitAgent(env: Env, serverId: ServerId): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.AGENT_LIMIT.limit({ key: serverId });
  return success ? null : tooMany("The agent has made too many requests.", AGENT_WINDOW_SECONDS);
}

/**
 * Counts a request with a wrong token or signature. @returns a refusal if its address (for IPv6, its /64) has sent too many. Call it
 * after the token was checked: a valid token must pass, no matter who else uses the address.
 */
export async function limitFailures(env: Env, request: Request): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.FAILURE_LIMIT.limit({ key: addressOf(request) });
  return success ? null : tooMany("This address has sent too many requests with a wrong token or signature.");
}

/**
 * Counts a refused request that the audit log gets. @returns a refusal if a token, a trust rule or a member has too many: the
 * rest is not recorded
 */
export async function limitRefusals(
  env: Env,
  sender: TokenId | TrustRuleId | MemberId,
): Promise<TooMany | null> {
  if (isUnlimited(env)) return null;
  const { success } = await env.FAILURE_LIMIT.limit({ key: sender });
  return success ? null : tooMany("The token has had too many refused requests.");
}

/** What the requests of a sender are counted by. */
function addressOf({ headers }: Request): string {
  // Cloudflare sets this header; a client cannot. Locally, a proxy in front must (docs/release.md).
  return addressKey(headers.get("cf-connecting-ip") ?? "local");
}

function isUnlimited(env: Env): boolean {
  return rateLimitPolicy(env.RATE_LIMIT) === null;
}

function tooMany(detail: string, retryAfter = WINDOW_SECONDS): TooMany {
  // The window slides, and the binding does not return how far. A whole window is always enough.
  return { ok: false, refusal: { code: "rate_limited", detail, retryAfter } };
}

/** The first four groups of an IPv6 address are the network. One customer has all its addresses. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** IPv4 addresses in IPv6 form share their first groups without being one network. Source: RFC 4291, 2.5.5.2. */
const MAPPED_IPV4 = /^::ffff:/;

/** The key for counting requests of an address: an IPv4 address itself, the /64 of an IPv6 address, other text as it is. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return address;
  // The URL parser normalizes addresses: lower case, no leading zeros, the longest gap as "::".
  const written = new URL(url).hostname.slice(1, -1);
  if (MAPPED_IPV4.test(written)) return written;
  const [before = [], after = []] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const gap = Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return `${[...before, ...gap, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
