import { bytesOf, sha256 } from "#sealing/bytes.ts";

/** 128 bits, which makes collisions practically impossible. */
const TAG_DIGITS = 32;

/**
 * The response to a GET with the entity tag of its content, or 304 if the client already has this content.
 * Source: RFC 9110 sections 8.8.3 (ETag) and 13.1.2 (If-None-Match, which compares weakly).
 */
export async function withEntityTag(request: Request, body: string, headers: Headers): Promise<Response> {
  // The response takes the bytes too, so that the text is encoded once.
  const bytes = bytesOf(body);
  const tag = `"${(await sha256(bytes)).slice(0, TAG_DIGITS)}"`;
  headers.set("etag", tag);
  if (!names(request.headers.get("if-none-match"), tag)) return new Response(bytes, { status: 200, headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

function names(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
