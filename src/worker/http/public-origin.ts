import { isLoopback } from "#contract/loopback.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/**
 * The address that the client used. A proxy that terminates TLS in front of a local Worker sets `X-Forwarded-Proto`;
 * Cloudflare sets it itself. A client that sends a wrong value affects only its own request.
 */
export function addressedTo({ url, headers }: Request): URL {
  const address = new URL(url);
  if (forwardedProtocol(headers) === "https") address.protocol = "https:";
  return address;
}

/**
 * Whether the client is known to have used plain HTTP, so that a redirect to HTTPS leads elsewhere. Behind a proxy that
 * terminates TLS and does not send its protocol, the redirect would lead here again, without end. The same is true behind
 * one whose protocol a second proxy replaced: then the browser's Sec-Fetch headers show it, which are sent only over HTTPS.
 */
export function isKnownPlain({ headers }: Request): boolean {
  const isPlain =
    forwardedProtocol(headers) === "http" || headers.get("cf-visitor")?.includes('"http"') === true;
  return isPlain && !headers.has("sec-fetch-mode");
}

/** With several proxies, the first value names the proxy that the client connected to. */
function forwardedProtocol(headers: Headers): string | undefined {
  return headers.get("x-forwarded-proto")?.split(",")[0]?.trim();
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
