import { mkdir } from "node:fs/promises";

import { checkCaddy } from "#agent/ingress/caddy/admin.ts";
import { type CertificatesFound, createCertificateChecks } from "#agent/ingress/caddy/check-certificates.ts";
import { ingressFiles, loadSites, readAcceptedSites } from "#agent/ingress/caddy/load-sites.ts";
import { type IngressStatus, writeIngressStatus } from "#agent/ingress/ingress-status.ts";
import { readSites, type SiteProblem } from "#agent/ingress/caddy/read-sites.ts";
import type { Ingress } from "#agent/ingress/ingress.ts";
import { nameSites } from "#agent/ingress/name-sites.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

export type CaddyIngressOptions = {
  readonly home: string;
  readonly slots: string;
  readonly settings: IngressSettings;
  /** How often to check whether Caddy answers. */
  readonly checkMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
};

/** Configures a Caddy that runs as a service of its own. */
export function createCaddyIngress(options: CaddyIngressOptions): Ingress {
  const { home, settings, checkMs, log } = options;
  const certificates = createCertificateChecks(settings, options.now);
  /** The problem of Caddy as a whole, and the problems of single sites. */
  let problem: string | null = null;
  let problems: ReadonlyMap<ProjectId, SiteProblem> = new Map();
  let certified: CertificatesFound = { problems: new Map(), certificates: new Map() };
  let isApplied = false;
  let shown = "";
  /** The problems at the last call of `onChange`. The hello reports the problems before the first call. */
  let reported = JSON.stringify([null, [], []]);
  let onChange: () => void = () => undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  function setProblem(found: string | null): void {
    if (found === problem) return;
    problem = found;
    log(found ?? "the ingress works again");
  }

  async function applyNow(): Promise<void> {
    isApplied = false;
    const read = await readSites(home, await readAcceptedSites(home));
    const named = nameSites(read.sites);
    const found = new Map(read.problems);
    for (const { project, isServed, reason } of named.problems)
      if (found.get(project)?.isServed !== false) found.set(project, { isServed, reason });
    const { end, refused } = await loadSites(options, named.sites);
    if (end.kind === "silent") return setProblem(silence(settings, end.reason));
    if (end.kind === "loaded") setProblem(null);
    for (const [project, reason] of refused)
      found.set(project, { isServed: false, reason: `Caddy refuses this site: ${reason}` });
    for (const [project, { reason }] of found)
      if (problems.get(project)?.reason !== reason)
        log(`the site of ${project} is not served as it should be: ${reason}`);
    problems = found;
    isApplied = true;
    await show();
  }

  async function checkCertificates(): Promise<void> {
    const found = await certificates.check(await readAcceptedSites(home));
    for (const [project, reason] of found.problems)
      if (certified.problems.get(project) !== reason) log(`${project}: ${reason}`);
    certified = found;
  }

  const reasonOf = (projectId: ProjectId): string | null =>
    problems.get(projectId)?.reason ?? certified.problems.get(projectId) ?? null;

  /** For `gantry-agent status` and the control plane, when it changes. */
  async function show(): Promise<void> {
    const ids = new Set([...problems.keys(), ...certified.problems.keys()]);
    const refused = [...ids].map((project) => ({ project, reason: reasonOf(project) ?? "" }));
    const status: IngressStatus = { problem, sites: (await readAcceptedSites(home)).length, refused };
    const text = JSON.stringify(status);
    if (text === shown) return;
    shown = text;
    const expiring = [...certified.certificates.values()].flat().filter(({ state }) => state === "late");
    const latest = JSON.stringify([problem, refused, expiring]);
    if (latest !== reported) onChange();
    reported = latest;
    await mkdir(ingressFiles(home).folder, { recursive: true }).catch(() => undefined);
    await writeIngressStatus(home, status);
  }

  /** Callers while one waits share its turn: it reads the sites after all of them have written theirs. */
  function apply(): Promise<void> {
    waiting ??= last.then(async () => {
      waiting = null;
      last = applyNow().catch((error: unknown) =>
        setProblem(`The ingress cannot be configured: ${messageOf(error)}`),
      );
      await last;
    });
    return waiting;
  }

  return {
    kind: "caddy",
    apply,
    targetOf: (domain, path) => ({ url: new URL(`http://${domain}${path}`), socketPath: settings.check }),
    problem: () => problem,
    problemOf: reasonOf,
    certificatesOf: (projectId) => certified.certificates.get(projectId) ?? null,
    refusalOf(projectId) {
      const found = problems.get(projectId);
      return found === undefined || found.isServed ? null : found.reason;
    },
    readCertificate: (name) => certificates.stateOf(name),
    async watch(signal, changed) {
      onChange = changed;
      while (!signal.aborted) {
        const reason = await checkCaddy(settings.admin);
        if (reason !== null) setProblem(silence(settings, reason));
        else if (!isApplied) await apply();
        else setProblem(null);
        if (reason === null) await checkCertificates();
        await show();
        await pause(checkMs, signal);
      }
    },
  };
}

function silence({ admin }: IngressSettings, reason: string): string {
  return `The ingress (Caddy) does not answer at ${admin}: ${reason}. See: journalctl -u gantry-ingress`;
}
