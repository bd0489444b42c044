const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost|.+\.localhost)$/;

/**
 * What a link to a site says: the project's domain where the address leads there or to this machine, else the address
 * itself. The address is what the server's agent reports, so it must not go by a name that it doesn't have.
 */
export function siteName(url: string, domain: string): string {
  const { hostname } = new URL(url);
  return hostname === domain.toLowerCase() || LOOPBACK.test(hostname) ? domain : url;
}
