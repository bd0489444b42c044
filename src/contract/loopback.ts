/** A URL's parts; the contract runs where there is no URL. */
type Address = { readonly protocol: string; readonly hostname: string };

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself, so that nothing sent there crosses a network. Source: RFC 6761, 6.3. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Whether others can read what is sent to an address: it is plain HTTP, and not to this machine itself. */
export function isOpenToOthers({ protocol, hostname }: Address): boolean {
  return protocol !== "https:" && !isLoopback(hostname);
}
