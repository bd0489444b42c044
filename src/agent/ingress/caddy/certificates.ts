import type { IngressSettings } from "#agent/ingress/settings.ts";

/** Top-level domains that exist only in private networks or examples: no public authority issues certificates for them. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|example|invalid)$/;
const ADDRESS = /^[0-9.]+$/;

/** Whether only Caddy's own authority can issue a certificate for a host name. */
export function isPrivateName(name: string): boolean {
  return !name.includes(".") || PRIVATE.test(name) || ADDRESS.test(name);
}

/** Who issues which certificates. Caddy obtains and renews them for all host names of its routes. */
export function certificates(names: readonly string[], settings: IngressSettings): Record<string, unknown> {
  const { issuer, email, acme_directory: ca } = settings;
  const own = issuer === "internal" ? names : names.filter(isPrivateName);
  const acme = {
    module: "acme",
    ...(email === undefined ? {} : { email }),
    ...(ca === undefined ? {} : { ca }),
  };
  return {
    tls: {
      automation: {
        policies: [
          ...(own.length === 0 ? [] : [{ subjects: own, issuers: [{ module: "internal" }] }]),
          { issuers: [issuer === "internal" ? { module: "internal" } : acme] },
        ],
      },
    },
    // Only clients that need it trust the own authority. Otherwise, Caddy would add the authority to the server's list.
    pki: { certificate_authorities: { local: { install_trust: false } } },
  };
}
