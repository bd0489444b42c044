import type { FileCertificate } from "#agent/ingress/file-certificates.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";

/** Top-level domains that exist only in private networks or examples: no public authority issues certificates for them. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|example|invalid)$/;
const ADDRESS = /^[0-9.]+$/;

/** Whether only Caddy's own authority can issue a certificate for a host name. */
export function isPrivateName(name: string): boolean {
  return !name.includes(".") || PRIVATE.test(name) || ADDRESS.test(name);
}

/** Host names, by who should issue their certificates. */
export type CertifiedNames = {
  /** All that visitors use. */
  readonly names: readonly string[];
  /** Of these, the names behind a load balancer that is not Gantry's, which verifies no certificate. */
  readonly ownNames: readonly string[];
  /** Of these, the names that lead to several servers. */
  readonly sharedNames: readonly string[];
  /** Used only between servers. */
  readonly fleetNames: readonly string[];
  readonly files: readonly FileCertificate[];
};

/** Who issues which certificates. Caddy obtains and renews them for all host names of its routes. */
export function certificates(
  { names, ownNames, sharedNames, fleetNames, files }: CertifiedNames,
  settings: IngressSettings,
): Record<string, unknown> {
  const { issuer, email, acme_directory: ca } = settings;
  const byOwner = new Set(ownNames);
  const own = [
    ...(issuer === "internal" ? names : names.filter((name) => isPrivateName(name) || byOwner.has(name))),
    ...fleetNames,
  ];
  const internal = new Set(own);
  const shared = sharedNames.filter((name) => !internal.has(name));
  const acme = {
    module: "acme",
    ...(email === undefined ? {} : { email }),
    ...(ca === undefined ? {} : { ca }),
  };
  // The issuer's other check ends at any of the servers, and cannot be passed on.
  const acmeOfSeveral = { ...acme, challenges: { "tls-alpn": { disabled: true } } };
  const loaded = {
    ...(fleetNames.length === 0 ? {} : { automate: fleetNames }),
    ...(files.length === 0
      ? {}
      : { load_files: files.map(({ cert, key }) => ({ certificate: cert, key, format: "pem" })) }),
  };
  return {
    tls: {
      ...(Object.keys(loaded).length === 0 ? {} : { certificates: loaded }),
      automation: {
        policies: [
          ...(own.length === 0 ? [] : [{ subjects: own, issuers: [{ module: "internal" }] }]),
          ...(shared.length === 0 ? [] : [{ subjects: shared, issuers: [acmeOfSeveral] }]),
          { issuers: [issuer === "internal" ? { module: "internal" } : acme] },
        ],
      },
    },
    // Only clients that need it trust the own authority. Otherwise, Caddy would add the authority to the server's list.
    pki: { certificate_authorities: { local: { install_trust: false } } },
  };
}
