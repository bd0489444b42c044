import { isLoopback } from "#contract/loopback.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/**
 * A request's address as its client wrote it. A proxy that ends TLS in front of a local Worker says so with
 * `X-Forwarded-Proto`; Cloudflare sets that header itself. A client that sends a false one deceives only itself.
 */
export function addressedTo({ url, headers }: Request): URL {
  const address = new URL(url);
  // Of several proxies in a row the first one was the client's.
  const [first] = (headers.get("x-forwarded-proto") ?? "").split(",");
  if (first?.trim() === "https") address.protocol = "https:";
  return address;
}

/**
 * Where this installation is reached, as links, commands and problem types name it: the variable PUBLIC_URL, or, where
 * it is empty, as the client addressed it.
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

/** Nothing but an origin, because all paths begin at its root. Plain HTTP only on the machine itself. */
function isPublicUrl(url: URL): boolean {
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && `${url.origin}/` === url.href;
}
