import { hostKind } from "#contract/addresses/host-kind.ts";

/** The parts of a URL that are needed here. The type URL does not exist in every runtime of the contract. */
type Address = { readonly protocol: string; readonly hostname: string };

/** Whether a URL's host is this machine, so that requests to it do not cross a network. */
export function isLoopback(hostname: string): boolean {
  return hostKind(hostname) === "loopback";
}

/** Whether others can read requests to an address: it is plain HTTP, and not this machine. */
export function isOpenToOthers({ protocol, hostname }: Address): boolean {
  return protocol !== "https:" && !isLoopback(hostname);
}
