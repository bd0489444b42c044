import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { type LoadEnd, loadConfig, checkCaddy } from "#agent/ingress/caddy/admin.ts";
import { createCertificateChecks } from "#agent/ingress/caddy/check-certificates.ts";
import { caddyConfig, type NamedSite } from "#agent/ingress/caddy/config.ts";
import { type IngressStatus, writeIngressStatus } from "#agent/ingress/ingress-status.ts";
import { readSites, type SiteProblem } from "#agent/ingress/caddy/read-sites.ts";
import type { Ingress } from "#agent/ingress/ingress.ts";
import { nameSites } from "#agent/ingress/name-sites.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import { SiteFile } from "#agent/ingress/site-file.ts";
import { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

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

/** The sites that Caddy accepted last. */
const AcceptedSites = z.object({ sites: z.array(z.object({ project: ProjectId, site: SiteFile })) });

/** The files of the ingress in the agent's home folder. Caddy starts with `config`. */
export function ingressFiles(home: string) {
  const folder = join(home, "ingress");
  return { folder, config: join(folder, "caddy.json"), accepted: join(folder, "sites.json") };
}

/** Configures a Caddy that runs as a service of its own. */
export function createCaddyIngress(options: CaddyIngressOptions): Ingress {
  const { home, slots, settings, checkMs, log } = options;
  const certificates = createCertificateChecks(settings, options.now);
  const files = ingressFiles(home);
  /** The problem of Caddy as a whole, and those of single sites. */
  let problem: string | null = null;
  let problems: ReadonlyMap<ProjectId, SiteProblem> = new Map();
  /** Names without a valid certificate. */
  let uncertified: ReadonlyMap<ProjectId, string> = new Map();
  let isApplied = false;
  let shown = "";
  /** The problems at the last call of `onChange`. The hello reports those before the first. */
  let reported = JSON.stringify([null, []]);
  let onChange: () => void = () => undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  function setProblem(found: string | null): void {
    if (found === problem) return;
    problem = found;
    log(found ?? "the ingress works again");
  }

  const textOf = (sites: readonly NamedSite[]) =>
    `${JSON.stringify(caddyConfig(sites, { home, slots }, settings), null, 1)}\n`;

  /** Kept only once Caddy has it, because Caddy starts with this file. */
  async function load(sites: readonly NamedSite[]): Promise<LoadEnd> {
    const text = textOf(sites);
    const end = await loadConfig(settings.admin, text);
    if (end.kind !== "loaded") return end;
    await writeAtomic(files.accepted, JSON.stringify({ sites }), { flush: true });
    await writeAtomic(files.config, text, { flush: true });
    return end;
  }

  async function acceptedSites(): Promise<readonly NamedSite[]> {
    return (await readJsonFile(files.accepted, AcceptedSites))?.sites ?? [];
  }

  /** Loads the changes one by one, so that one that Caddy refuses does not keep the others away. */
  async function loadSingly(
    wanted: readonly NamedSite[],
    found: Map<ProjectId, SiteProblem>,
  ): Promise<LoadEnd> {
    let sites: readonly NamedSite[] = await acceptedSites();
    for (const project of new Set([...sites, ...wanted].map((each) => each.project))) {
      const [before, after] = [sites, wanted].map((list) => list.find((each) => each.project === project));
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      const others = sites.filter((each) => each.project !== project);
      const changed = after === undefined ? others : [...others, after];
      const end = await load(nameSites(changed).sites);
      if (end.kind === "silent") return end;
      if (end.kind === "loaded") sites = changed;
      else found.set(project, { isServed: false, reason: `Caddy refuses this site: ${end.reason}` });
    }
    return { kind: "loaded" };
  }

  async function applyNow(): Promise<void> {
    isApplied = false;
    const read = await readSites(home, await acceptedSites());
    const named = nameSites(read.sites);
    const found = new Map(read.problems);
    for (const { project, isServed, reason } of named.problems)
      if (found.get(project)?.isServed !== false) found.set(project, { isServed, reason });
    await mkdir(files.folder, { recursive: true });
    const current = await readFile(files.config, "utf8").catch(() => null);
    if (current !== textOf(named.sites)) {
      let end = await load(named.sites);
      if (end.kind === "refused") {
        log(`Caddy refuses the configuration: ${end.reason}`);
        end = await loadSingly(named.sites, found);
      }
      if (end.kind !== "loaded") return setProblem(silence(settings, end.reason));
      setProblem(null);
    }
    for (const [project, { reason }] of found)
      if (problems.get(project)?.reason !== reason)
        log(`the site of ${project} is not served as it should be: ${reason}`);
    problems = found;
    isApplied = true;
    await show();
  }

  async function checkCertificates(): Promise<void> {
    const found = await certificates.check(await acceptedSites());
    for (const [project, reason] of found)
      if (uncertified.get(project) !== reason) log(`${project}: ${reason}`);
    uncertified = found;
  }

  const reasonOf = (projectId: ProjectId): string | null =>
    problems.get(projectId)?.reason ?? uncertified.get(projectId) ?? null;

  /** For `gantry-agent status` and the control plane, when it changes. */
  async function show(): Promise<void> {
    const ids = new Set([...problems.keys(), ...uncertified.keys()]);
    const refused = [...ids].map((project) => ({ project, reason: reasonOf(project) ?? "" }));
    const status: IngressStatus = { problem, sites: (await acceptedSites()).length, refused };
    const text = JSON.stringify(status);
    if (text === shown) return;
    shown = text;
    const latest = JSON.stringify([problem, refused]);
    if (latest !== reported) onChange();
    reported = latest;
    await mkdir(files.folder, { recursive: true }).catch(() => undefined);
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
    refusalOf(projectId) {
      const found = problems.get(projectId);
      return found === undefined || found.isServed ? null : found.reason;
    },
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
