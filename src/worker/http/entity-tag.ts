import { sha256 } from "#worker/sha256.ts";

/** 128 bits: enough that two contents never share a tag. */
const TAG_DIGITS = 32;

/**
 * A GET's answer with the tag of its content; or 304 without it, for a client that has this content already.
 * Source: RFC 9110 sections 8.8.3 (ETag) and 13.1.2 (If-None-Match, which compares weakly).
 */
export async function withEntityTag(request: Request, body: string, headers: Headers): Promise<Response> {
  const tag = `"${(await sha256(body)).slice(0, TAG_DIGITS)}"`;
  headers.set("etag", tag);
  if (!names(request.headers.get("if-none-match"), tag)) return new Response(body, { status: 200, headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

function names(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
