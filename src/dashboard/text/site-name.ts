import { isLoopback } from "#contract/loopback.ts";

/**
 * The text of a link to a site: the host, with its port if it has one, if the URL leads to the project's domain or to
 * this machine, else the URL. The server's agent reports the URL, so a wrong one must not be shown under the domain.
 */
export function siteName(url: string, domain: string): string {
  const { hostname, host } = new URL(url);
  return hostname === domain.toLowerCase() || isLoopback(hostname) ? host : url;
}
