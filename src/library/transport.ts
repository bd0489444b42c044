import type { Transport } from "#client/request.ts";
import type { ClientOptions } from "#library/client-types.ts";

/**
 * Sends requests to an installation. Each has the bookmark of the last answer, so that a replica of the database is at least
 * as new as what the client has seen.
 * @throws TypeError if the address is none: each request would be tried again until its time is up
 */
export function transportOf({ url, token, fetch: given }: ClientOptions): Transport {
  if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError(`url must be an address such as https://gantry.example.com, and is ${url}`);
  let bookmark: string | null = null;
  const send = given ?? ((address, init) => fetch(address, init));
  return {
    baseUrl: url.replace(/\/+(v1\/?)?$/, ""),
    token: token ?? null,
    async fetch(address, init) {
      const headers = new Headers(init.headers);
      if (bookmark !== null && !headers.has(BOOKMARK)) headers.set(BOOKMARK, bookmark);
      // Following a redirect could send the token to another host.
      const response = await send(address, { ...init, headers, redirect: "manual" });
      bookmark = response.headers.get(BOOKMARK) ?? bookmark;
      // A browser hides the status of a redirect, and 0 would mean that there was no answer.
      return response.type === "opaqueredirect" ? new Response(null, { status: 421 }) : response;
    },
  };
}

const BOOKMARK = "gantry-bookmark";

/** The same transport, whose requests end after a time. */
export function withTimeout(transport: Transport, timeoutMs: number): Transport {
  return {
    ...transport,
    fetch: (address, init) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = init.signal == null ? timeout : AbortSignal.any([init.signal, timeout]);
      return transport.fetch(address, { ...init, signal });
    },
  };
}
