import { connect } from "node:tls";

import { namesOf } from "#agent/ingress/caddy/site-routes.ts";
import { type FileCertificate, isCovered } from "#agent/ingress/file-certificates.ts";
import type { Named } from "#agent/ingress/name-sites.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { CertificateState } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { CertificateHealth } from "#contract/reported-health.ts";

/** Caddy obtains a certificate in some seconds. A name without one is a problem after this many checks. */
const FAILED_CHECKS = 6;
/** A name with a certificate is checked again after this many checks: after an hour, if one is made every 10 s. */
const RECHECK = 360;
const ANSWER_MS = 5_000;
/** How many names are checked at the same time. */
const AT_ONCE = 16;
/** Caddy renews a certificate in the last third of its time, and so has tried for long when this part of it is left. */
const LATE = 1 / 6;

/** `state`: with `unknown`, Caddy does not answer, which is a problem of its own. `expiresAt`: ISO 8601; null: it was not seen. */
type Certificate = { readonly state: CertificateState; readonly expiresAt: string | null };

/** What the agent knows about the certificates of projects. */
export type CertificatesFound = {
  /** For each project with a name without a valid certificate why, as a sentence. */
  readonly problems: ReadonlyMap<ProjectId, string>;
  readonly certificates: ReadonlyMap<ProjectId, CertificateHealth[]>;
};

/** Looks for names of sites for which Caddy could not obtain or renew a certificate. */
export type CertificateChecks = {
  /**
   * Never throws.
   * @param files the certificates that something else renews
   */
  check(sites: readonly Named[], files?: readonly FileCertificate[]): Promise<CertificatesFound>;
  /** The state of a host name's certificate now; null behind a web server of the owner. Never throws. */
  stateOf(name: string): Promise<CertificateState | null>;
};

/** @param now Unix milliseconds */
export function createCertificateChecks(
  { listen, https_port: port }: IngressSettings,
  now: () => number,
): CertificateChecks {
  /** For each name how many checks have failed since it had a certificate. */
  const failures = new Map<string, number>();
  /** For each name how many checks are left out until the next. */
  const passes = new Map<string, number>();

  /** The result for each name, as soon as it is certain. */
  const known = new Map<string, Omit<CertificateHealth, "domain">>();

  async function checkName(name: string, isFromFile: boolean): Promise<void> {
    const left = passes.get(name) ?? 0;
    if (left > 0) return void passes.set(name, left - 1);
    const { state, expiresAt } = await readCertificate(name, port, now());
    switch (state) {
      case "valid":
        passes.set(name, RECHECK);
        failures.delete(name);
        known.set(name, { state, expires_at: expiresAt, problem: null });
        return;
      case "unknown":
        return;
      case "missing":
      case "late": {
        const failed = (failures.get(name) ?? 0) + 1;
        failures.set(name, failed);
        if (failed >= FAILED_CHECKS)
          known.set(name, { state, expires_at: expiresAt, problem: textOf(name, state, isFromFile) });
      }
    }
  }

  const healthOf = (domain: string): CertificateHealth => ({
    domain,
    ...(known.get(domain) ?? { state: "unknown", expires_at: null, problem: null }),
  });

  return {
    async check(sites, files = []) {
      const problems = new Map<ProjectId, string>();
      const certificates = new Map<ProjectId, CertificateHealth[]>();
      // Behind a web server of the owner, which has the certificates.
      if (listen !== undefined) return { problems, certificates };
      const all = new Set(sites.flatMap(namesOf));
      for (const noted of [failures, passes, known])
        for (const name of noted.keys()) if (!all.has(name)) noted.delete(name);
      const names = [...all];
      for (let at = 0; at < names.length; at += AT_ONCE)
        await Promise.all(
          names.slice(at, at + AT_ONCE).map((name) => checkName(name, isCovered(name, files))),
        );
      for (const site of sites) {
        // In the order of the names, so that the problem of a project with several stays the same.
        const found = namesOf(site).map(healthOf);
        certificates.set(site.project, found);
        const problem = found.find((one) => one.problem !== null)?.problem ?? null;
        if (problem !== null) problems.set(site.project, problem);
      }
      return { problems, certificates };
    },
    stateOf: async (name) => (listen === undefined ? (await readCertificate(name, port, now())).state : null),
  };
}

function textOf(name: string, state: "missing" | "late", isFromFile: boolean): string {
  if (isFromFile && state === "late")
    return `The certificate of ${name} expires soon. Renew the file that /etc/gantry/ingress.json names.`;
  return state === "missing"
    ? `${name} has no certificate yet. Its DNS records must lead to this server, and port 80 must be open. The issuer's answer: journalctl -u gantry-ingress`
    : `The certificate of ${name} expires soon, and could not be renewed. The issuer's answer: journalctl -u gantry-ingress`;
}

/** Begins a TLS connection as a visitor does. */
function readCertificate(name: string, port: number, now: number): Promise<Certificate> {
  return new Promise((resolve) => {
    const socket = connect({
      host: "127.0.0.1",
      port,
      servername: name,
      // The issuer may be an authority that only the visitors trust.
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    });
    const end = (state: CertificateState, expiresAt: string | null = null): void => {
      socket.destroy();
      resolve({ state, expiresAt });
    };
    socket.setTimeout(ANSWER_MS, () => end("unknown"));
    socket.once("secureConnect", () => {
      const { valid_from, valid_to } = socket.getPeerCertificate();
      const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)];
      const expiresAt = Number.isNaN(to) ? null : new Date(to).toISOString();
      end(to - now < (to - from) * LATE ? "late" : "valid", expiresAt);
    });
    // Without a certificate, Caddy ends the handshake with the alert `internal error`.
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(error.code?.startsWith("ERR_SSL_") === true ? "missing" : "unknown"),
    );
  });
}
