import { readFile } from "node:fs/promises";

import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { listUpTo, textLike, textUpTo, wholeBetween } from "#contract/bounds.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { ResultOf } from "#contract/lib/result.ts";

import "#contract/issue-messages.ts";

const SocketPath = textUpTo(103).check(z.startsWith("/", "must be an absolute path"));
const Port = wholeBetween(1, 65_535);

/** A range of IP addresses, but not all of them: any visitor could then choose the address that apps see. */
const AddressRange = z
  .union([z.cidrv4(), z.cidrv6()], "must be a range of IP addresses, such as 10.0.0.0/16")
  .check(z.refine((range) => !range.endsWith("/0"), "must not contain all addresses"));

const AbsolutePath = textUpTo(4096).check(z.startsWith("/", "must be an absolute path"));

/** A certificate with the others of its chain, and its key, both as PEM. */
const CertificateFiles = z.strictObject({ cert: AbsolutePath, key: AbsolutePath });

/** Far more than the balancers of a hoster have. */
const MAX_RANGES = 200;
const MAX_CERTIFICATES = 200;

/**
 * `/etc/gantry/ingress.json`, which the installer writes and the server's owner may edit. `admin`: where Caddy takes its
 * configuration. `check`: where the agent checks sites without TLS. `issuer`: who issues the certificates; names that
 * exist only in a private network always get Caddy's own. `email`, `acme_directory`: of the account at the issuer, and
 * another one than Let's Encrypt. `listen`: behind a web server of the owner, which terminates TLS: then this address and
 * port is the only one. `trust`: the addresses of load balancers, whose `X-Forwarded-*` says who the visitor is.
 * `fleet_port`: where balancers of Gantry reach this server; it is open only while a project has one. `certificates`: files
 * that something else renews.
 */
export const IngressSettings = z.strictObject({
  admin: SocketPath,
  check: SocketPath,
  issuer: z._default(z.enum(["acme", "internal"]), "acme"),
  email: z.optional(textUpTo(254)),
  acme_directory: z.optional(WebAddress.check(z.startsWith("https://", "must begin with https://"))),
  listen: z.optional(textLike(/^(?:[0-9.]{7,15}|\[[0-9a-f:.]{2,45}\]):[0-9]{1,5}$/, "must be address:port")),
  trust: z._default(listUpTo(AddressRange, MAX_RANGES), []),
  http_port: z._default(Port, 80),
  https_port: z._default(Port, 443),
  fleet_port: z._default(Port, 8443),
  certificates: z._default(listUpTo(CertificateFiles, MAX_CERTIFICATES), []),
});
export type IngressSettings = z.infer<typeof IngressSettings>;

/** `reason`: a sentence. */
export async function readIngressSettings(
  path: string,
): Promise<ResultOf<IngressSettings, { readonly reason: string }>> {
  try {
    const settings = IngressSettings.safeParse(parseJson(await readFile(path, "utf8")));
    if (settings.success) return { ok: true, value: settings.data };
    return { ok: false, reason: `${path} is not valid: ${z.prettifyError(settings.error)}` };
  } catch (error) {
    return { ok: false, reason: `${path} cannot be read: ${messageOf(error)}` };
  }
}
