/**
 * Where requests to a host go. `unspecified`: `0.0.0.0` and `::`, with which a client reaches its own machine. `private`:
 * an address of a private or reserved range. `local_name`: a name that only a private network knows. `address`: a public
 * IP address. `name`: any other name, wherever it leads.
 */
export type HostKind = "loopback" | "unspecified" | "private" | "local_name" | "address" | "name";

/** The kind of a host. @param hostname of a parsed URL, which has one form for each IP address */
export function hostKind(hostname: string): HostKind {
  const host = plainHost(hostname);
  const ipv4 = readIpv4(host);
  if (ipv4 !== null) return ipv4Kind(ipv4);
  if (host.startsWith("[")) return ipv6Kind(readIpv6(host));
  // RFC 6761, 6.3: these names are always this machine.
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return !host.includes(".") || PRIVATE_NAME.test(host) ? "local_name" : "name";
}

/**
 * A host in one form: in lower case, without a dot at its end, and the IPv4 address that an IPv6 address contains as
 * IPv4.
 */
export function plainHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (!host.startsWith("[")) return host;
  return embeddedIpv4(readIpv6(host))?.join(".") ?? host;
}

const PRIVATE_NAME = /\.(?:local|internal|home\.arpa)$/;

function readIpv4(host: string): readonly number[] | null {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ? host.split(".").map(Number) : null;
}

/** Source: the IANA IPv4 Special-Purpose Address Registry, and RFC 5771 for multicast. */
function ipv4Kind([a = 0, b = 0, c = 0]: readonly number[]): HostKind {
  if (a === 0) return "unspecified";
  if (a === 127) return "loopback";
  const isPrivate =
    a === 10 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113) ||
    a >= 224;
  return isPrivate ? "private" : "address";
}

/** Only 2000::/3 is in public use. Of it, Teredo and the documentation prefix are not. Source: as for IPv4. */
function ipv6Kind(groups: readonly number[]): HostKind {
  const [first = 0, second = 0] = groups;
  const rest = groups.slice(0, -1).some((group) => group !== 0);
  if (!rest && groups.at(-1) === 0) return "unspecified";
  if (!rest && groups.at(-1) === 1) return "loopback";
  const isPublic = first >= 0x2000 && first < 0x4000 && !(first === 0x2001 && [0, 0xdb8].includes(second));
  return isPublic ? "address" : "private";
}

/** The eight groups of an IPv6 address in brackets. */
function readIpv6(host: string): readonly number[] {
  const [start = "", end] = host.slice(1, -1).split("::");
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (end === undefined) return read(start);
  const [before, after] = [read(start), read(end)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/**
 * The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (RFC 4291, RFC 7915), NAT64 (RFC 6052)
 * or 6to4 (RFC 3056).
 */
function embeddedIpv4(groups: readonly number[]): readonly number[] | null {
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":");
  if (groups[0] === 0x2002) return bytesOf(groups.slice(1, 3));
  if (!EMBEDDING.includes(prefix)) return null;
  const isCompatible = prefix === EMBEDDING[0];
  // `::` and `::1` are addresses of their own.
  return isCompatible && groups[6] === 0 && (groups[7] ?? 0) < 2 ? null : bytesOf(groups.slice(6));
}

const EMBEDDING: readonly string[] = ["0:0:0:0:0:0", "0:0:0:0:0:ffff", "0:0:0:0:ffff:0", "64:ff9b:0:0:0:0"];

function bytesOf(groups: readonly number[]): readonly number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}
