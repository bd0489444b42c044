import { isLoopback } from "#contract/loopback.ts";

/**
 * What a link to a site says: the project's domain where the address leads there or to this machine, else the address
 * itself. The address is what the server's agent reports, so it must not go by a name that it doesn't have.
 */
export function siteName(url: string, domain: string): string {
  const { hostname } = new URL(url);
  return hostname === domain.toLowerCase() || isLoopback(hostname) ? domain : url;
}
