/** The parts of a URL that are needed here. The type URL does not exist in every runtime of the contract. */
type Address = { readonly protocol: string; readonly hostname: string };

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether a URL's host is this machine, so that requests to it do not cross a network. Source: RFC 6761, 6.3. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Whether others can read requests to an address: it is plain HTTP, and not this machine. */
export function isOpenToOthers({ protocol, hostname }: Address): boolean {
  return protocol !== "https:" && !isLoopback(hostname);
}
