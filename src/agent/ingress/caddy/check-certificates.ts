import { connect } from "node:tls";

import { namesOf, type NamedSite } from "#agent/ingress/caddy/config.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { ProjectId } from "#contract/ids.ts";

/** Caddy obtains a certificate in some seconds. A name without one is a problem after this many checks. */
const FAILED_CHECKS = 6;
/** A name with a certificate is checked again after this many checks: after an hour, if one is made every 10 s. */
const RECHECK = 360;
const ANSWER_MS = 5_000;
/** How many names are checked at the same time. */
const AT_ONCE = 16;
/** Caddy renews a certificate in the last third of its time, and so has tried for long when this part of it is left. */
const LATE = 1 / 6;

/** `unknown`: Caddy does not answer, which is a problem of its own. */
type CertificateState = "valid" | "missing" | "late" | "unknown";

type Failure = { readonly checks: number; readonly state: "missing" | "late" };

/** Looks for names of sites for which Caddy could not obtain or renew a certificate. */
export type CertificateChecks = {
  /** @returns for each project with such a name why, as a sentence. Never throws. */
  check(sites: readonly NamedSite[]): Promise<ReadonlyMap<ProjectId, string>>;
};

/** @param now Unix milliseconds */
export function createCertificateChecks(
  { listen, https_port: port }: IngressSettings,
  now: () => number,
): CertificateChecks {
  /** For each name how many checks have failed since it had a certificate, and why the last one did. */
  const failures = new Map<string, Failure>();
  /** For each name how many checks are left out until the next. */
  const passes = new Map<string, number>();

  async function problemOf(name: string): Promise<string | null> {
    const left = passes.get(name) ?? 0;
    if (left > 0) {
      passes.set(name, left - 1);
      return null;
    }
    const state = await certificateState(name, port, now());
    switch (state) {
      case "valid":
        passes.set(name, RECHECK);
        failures.delete(name);
        return null;
      case "unknown":
        return failureText(name);
      case "missing":
      case "late":
        failures.set(name, { checks: (failures.get(name)?.checks ?? 0) + 1, state });
        return failureText(name);
    }
  }

  function failureText(name: string): string | null {
    const failure = failures.get(name);
    return failure === undefined || failure.checks < FAILED_CHECKS ? null : textOf(name, failure.state);
  }

  return {
    async check(sites) {
      const problems = new Map<ProjectId, string>();
      // Behind a web server of the owner, which has the certificates.
      if (listen !== undefined) return problems;
      const all = new Set(sites.flatMap(namesOf));
      for (const known of [failures, passes])
        for (const name of known.keys()) if (!all.has(name)) known.delete(name);
      const names = sites.flatMap((site) => namesOf(site).map((name) => ({ name, project: site.project })));
      for (let at = 0; at < names.length; at += AT_ONCE) {
        const some = names.slice(at, at + AT_ONCE);
        const found = await Promise.all(some.map(({ name }) => problemOf(name)));
        // In the order of the names, so that the problem of a project with several stays the same.
        for (const [index, { project }] of some.entries()) {
          const problem = found[index] ?? null;
          if (problem !== null && !problems.has(project)) problems.set(project, problem);
        }
      }
      return problems;
    },
  };
}

function textOf(name: string, state: "missing" | "late"): string {
  return state === "missing"
    ? `${name} has no certificate yet. Its DNS records must lead to this server, and port 80 must be open. The issuer's answer: journalctl -u gantry-ingress`
    : `The certificate of ${name} expires soon, and could not be renewed. The issuer's answer: journalctl -u gantry-ingress`;
}

/** Begins a TLS connection as a visitor does. */
function certificateState(name: string, port: number, now: number): Promise<CertificateState> {
  return new Promise((resolve) => {
    const socket = connect({
      host: "127.0.0.1",
      port,
      servername: name,
      // The issuer may be one that only the visitors trust.
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    });
    const end = (state: CertificateState): void => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(ANSWER_MS, () => end("unknown"));
    socket.once("secureConnect", () => {
      const { valid_from, valid_to } = socket.getPeerCertificate();
      const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)];
      end(to - now < (to - from) * LATE ? "late" : "valid");
    });
    // Without a certificate, Caddy ends the handshake with the alert `internal error`.
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(error.code?.startsWith("ERR_SSL_") === true ? "missing" : "unknown"),
    );
  });
}
