import { BlockList, isIP, isIPv4 } from "node:net";

import * as z from "zod/mini";

import { ServerAddress } from "#contract/endpoints/servers/server-address.ts";

/** A range of IP addresses, or one address or host name. */
export const AddressPattern = z.union(
  [z.cidrv4(), z.cidrv6(), ServerAddress],
  "must be an address, a range of addresses such as 10.0.0.0/16, or a host name",
);

/**
 * Whether a list contains an address. A host name must be in it as it is: where it leads is not known here.
 * @param patterns of `AddressPattern`
 */
export function allowsAddress(patterns: readonly string[], address: string): boolean {
  const name = address.toLowerCase();
  if (isIP(address) === 0) return patterns.some((pattern) => pattern.toLowerCase() === name);
  const ranges = new BlockList();
  for (const pattern of patterns) {
    const [start = "", bits] = pattern.split("/");
    if (isIP(start) === 0) continue;
    const family = isIPv4(start) ? "ipv4" : "ipv6";
    if (bits === undefined) ranges.addAddress(start, family);
    else ranges.addSubnet(start, Number(bits), family);
  }
  return ranges.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
