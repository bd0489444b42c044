/** The first four groups of an IPv6 address are the network. One customer has all its addresses. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** IPv4 addresses in IPv6 form share their first groups without being one network. Source: RFC 4291, 2.5.5.2. */
const MAPPED_IPV4 = /^::ffff:/;

/** The key for counting requests of an address: an IPv4 address itself, the /64 of an IPv6 address, other text as it is. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return address;
  // The URL parser normalizes addresses: lower case, no leading zeros, the longest gap as "::".
  const written = new URL(url).hostname.slice(1, -1);
  if (MAPPED_IPV4.test(written)) return written;
  const [before = [], after = []] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const gap = Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return `${[...before, ...gap, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
