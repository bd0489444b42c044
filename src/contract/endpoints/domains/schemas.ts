import * as z from "zod/mini";

import { listUpTo, textLike } from "#contract/bounds.ts";
import { Domain, MAX_ALIASES } from "#contract/endpoints/projects/settings.ts";

/** The domain of a project and its aliases. */
export const MAX_NAMES = MAX_ALIASES + 1;
/** More addresses of a name are not reported. */
export const MAX_ADDRESSES = 16;

/** An IPv4 or IPv6 address. A name server cannot put another text into it. */
const IpAddress = textLike(/^[0-9a-f.:]{2,45}$/, "must be an IP address");

/** An address of a host name. `is_server`: it is one of the server's own, or of another server that visitors should reach. */
export const DomainAddress = z.strictObject({ address: IpAddress, is_server: z.boolean() });
export type DomainAddress = z.infer<typeof DomainAddress>;

export const CertificateState = z.enum(["valid", "late", "missing", "unknown"]);
export type CertificateState = z.infer<typeof CertificateState>;

/**
 * What an agent finds about a host name. `private`: it asks no name server about such a name. `unanswered`: its name
 * servers did not answer in time, or with an error. `certificate`: null if Gantry does not terminate TLS on the server.
 */
export const DomainLookup = z.strictObject({
  domain: Domain,
  lookup: z.enum(["answered", "unanswered", "private"]),
  addresses: listUpTo(DomainAddress, MAX_ADDRESSES),
  certificate: z.nullable(CertificateState),
});
export type DomainLookup = z.infer<typeof DomainLookup>;
export const DomainLookups = listUpTo(DomainLookup, MAX_NAMES);

/** Whether a host name leads to the server of its project. */
export const DomainState = z.enum(["here", "partly", "elsewhere", "no_address", "private", "unknown"]);
export type DomainState = z.infer<typeof DomainState>;

/** `record`: the DNS record to create; null if there is none to create. */
export const DomainCheck = z.strictObject({
  domain: z.string(),
  state: DomainState,
  addresses: z.array(DomainAddress),
  certificate: z.nullable(CertificateState),
  message: z.string(),
  record: z.nullable(z.strictObject({ name: z.string(), type: z.literal("A"), value: z.string() })),
});
export type DomainCheck = z.infer<typeof DomainCheck>;

/**
 * `server_ips`: where the host names should lead: to the servers that visitors reach. `server_ip`: the first of them. An earlier
 * control plane has only this one.
 */
export const DomainChecks = z.strictObject({
  server_ip: z.string(),
  server_ips: z._default(z.array(z.string()), []),
  domains: z.array(DomainCheck),
});
export type DomainChecks = z.infer<typeof DomainChecks>;

/** Whether nothing is to be done about where a host name leads. */
export function isRight({ state }: Pick<DomainCheck, "state">): boolean {
  return state === "here" || state === "private";
}
