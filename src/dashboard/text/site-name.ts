import { isLoopback } from "#contract/loopback.ts";

/**
 * The text of a link to a site: the project's domain if the URL leads to it or to this machine, else the URL. The
 * server's agent reports the URL, so a wrong one must not be shown under the project's domain.
 */
export function siteName(url: string, domain: string): string {
  const { hostname } = new URL(url);
  return hostname === domain.toLowerCase() || isLoopback(hostname) ? domain : url;
}
