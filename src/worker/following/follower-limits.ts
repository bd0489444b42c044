import type { TokenId } from "#contract/ids.ts";
import { type Refusal } from "#contract/problems.ts";

/** The most followers of one log, of the output of one project, and of the events of one account. */
const MAX_FOLLOWERS = 1_000;

/** The most of them with the same token, in one object or in one isolate of the Worker. */
export const MAX_OF_TOKEN = 100;

/** How long a client waits before it tries again. It can read pages in the meantime. */
const RETRY_AFTER_SECONDS = 10;

/** The id of the token that follows, in the Worker's upgrade request to an object. */
const TOKEN_HEADER = "gantry-token-id";

/** The headers of the Worker's upgrade request. */
export function upgradeHeaders(tokenId: TokenId): Record<string, string> {
  return { upgrade: "websocket", [TOKEN_HEADER]: tokenId };
}

/** The tag of a follower's socket. */
export function tokenTag({ headers }: Request): string {
  return String(headers.get(TOKEN_HEADER));
}

/** An object's answer if it has too many followers; null: it can take one more. @param tag all of the same kind; omitted: all */
export function refuseFollower(ctx: DurableObjectState, request: Request, tag?: string): Response | null {
  const ofToken = ctx.getWebSockets(tokenTag(request)).length >= MAX_OF_TOKEN;
  if (!ofToken && ctx.getWebSockets(tag).length < MAX_FOLLOWERS) return null;
  return new Response(null, { status: 429, statusText: ofToken ? OF_TOKEN : "all" });
}

const OF_TOKEN = "token";

type TooMany = { readonly ok: false; readonly refusal: Refusal<"too_many_followers"> };

/** The refusal for an object's answer; null: the object has not refused for this reason. */
export function tooManyFollowers({
  status,
  statusText,
}: Pick<Response, "status" | "statusText">): TooMany | null {
  if (status !== 429) return null;
  return statusText === OF_TOKEN ? tooManyOfToken : refused(`It has ${MAX_FOLLOWERS} followers`);
}

/** The refusal for a token that has too many streams. */
export const tooManyOfToken = refused(`The token follows ${MAX_OF_TOKEN} streams`);

function refused(why: string): TooMany {
  const detail = `${why}, which is the limit. Close some, or read page by page.`;
  return { ok: false, refusal: { code: "too_many_followers", detail, retryAfter: RETRY_AFTER_SECONDS } };
}
