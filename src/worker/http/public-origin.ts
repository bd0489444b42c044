import { isLoopback } from "#contract/loopback.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/**
 * The address that the client used. A proxy that terminates TLS in front of a local Worker sets `X-Forwarded-Proto`;
 * Cloudflare sets it itself. A client that sends a wrong value affects only its own request.
 */
export function addressedTo({ url, headers }: Request): URL {
  const address = new URL(url);
  // With several proxies, the first value is the one that the client connected to.
  const [first] = (headers.get("x-forwarded-proto") ?? "").split(",");
  if (first?.trim() === "https") address.protocol = "https:";
  return address;
}

/**
 * The address of this installation for links, commands and problem types: the variable PUBLIC_URL, or the address that
 * the client used if the variable is empty.
 */
export function publicOrigin(publicUrl: string, addressed: URL): Result<string, "unavailable"> {
  if (publicUrl === "") return succeed(addressed.origin);
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  return url !== null && isPublicUrl(url)
    ? succeed(url.origin)
    : refuse(
        "unavailable",
        "The variable PUBLIC_URL of this installation is wrong: it must be an origin such as https://gantry.example.com.",
      );
}

/** Must be an origin without a path. Plain HTTP is allowed only on localhost. */
function isPublicUrl(url: URL): boolean {
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && `${url.origin}/` === url.href;
}
