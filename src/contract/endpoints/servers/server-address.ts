import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";
import { Domain } from "#contract/endpoints/projects/settings.ts";

/** Where other servers reach a server: an IP address, of a private network too, or a host name that they know. */
export const ServerAddress = textBetween(1, 253).check(
  z.refine(isAddress, "must be an IP address or a host name, without a port, such as 10.0.0.11"),
);

function isAddress(text: string): boolean {
  // Only digits and dots are no host name: an address with a typing error.
  if (/^[\d.]+$/.test(text)) return z.ipv4().safeParse(text).success;
  return z.ipv6().safeParse(text).success || Domain.safeParse(text).success;
}

/**
 * As `ServerAddress`, for what somebody enters. A name without a dot is nearly always a mistake, and would be noticed only when a
 * balancer cannot find it.
 */
export const GivenServerAddress = textBetween(1, 253).check(
  z.refine(
    (text) => isAddress(text) && /[.:]/.test(text),
    "must be an IP address or a host name with a dot, without a port, such as 10.0.0.11 or web-1.internal",
  ),
);
