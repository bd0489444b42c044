/** The first four groups of an IPv6 address: the network, of which one customer has all addresses. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** IPv4 addresses in the form of IPv6 share their first groups, and are no neighbours. Source: RFC 4291, 2.5.5.2. */
const MAPPED_IPV4 = /^::ffff:/;

/** What an address is counted by: IPv4 by itself, IPv6 by its /64. A text that is no address stands for itself. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return address;
  // The URL parser writes each address in one form: lower case, no leading zeros, the longest gap as "::".
  const written = new URL(url).hostname.slice(1, -1);
  if (MAPPED_IPV4.test(written)) return written;
  const [before = [], after = []] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const gap = Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return `${[...before, ...gap, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
