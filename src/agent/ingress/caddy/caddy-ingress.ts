import { mkdir } from "node:fs/promises";

import { checkCaddy } from "#agent/ingress/caddy/admin.ts";
import { type CertificatesFound, createCertificateChecks } from "#agent/ingress/caddy/check-certificates.ts";
import { servedForBalancers } from "#agent/ingress/caddy/fleet-server.ts";
import { describePortInUse } from "#agent/ingress/caddy/port-in-use.ts";
import { ingressFiles, loadSites, readAccepted } from "#agent/ingress/caddy/load-sites.ts";
import { readSites, type SiteProblem } from "#agent/ingress/caddy/read-sites.ts";
import { copyCertificates, removeOtherCopies } from "#agent/ingress/file-certificates.ts";
import { allowFleet, type BalancePolicy } from "#agent/ingress/fleet/allow-fleet.ts";
import { createFleetAuthority } from "#agent/ingress/fleet/fleet-authority.ts";
import { readFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { createServingFile } from "#agent/ingress/fleet/serving-file.ts";
import { createMemberWatch } from "#agent/ingress/fleet/watch-members.ts";
import { type IngressStatus, writeIngressStatus } from "#agent/ingress/ingress-status.ts";
import type { Ingress } from "#agent/ingress/ingress.ts";
import { type IngressInput, namesElsewhere, planIngress, publicSites } from "#agent/ingress/plan-ingress.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

export type CaddyIngressOptions = {
  readonly home: string;
  readonly slots: string;
  readonly settings: IngressSettings;
  readonly policy: BalancePolicy;
  /** How often to check whether Caddy answers. */
  readonly checkMs: number;
  /** How often to ask each member of a balanced project. */
  readonly membersMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
};

const NEEDS_TLS =
  "The ingress of this server has no TLS (`listen` in /etc/gantry/ingress.json), so it can be neither a balancer nor behind one.";

/** Configures a Caddy that runs as a service of its own. */
export function createCaddyIngress(options: CaddyIngressOptions): Ingress {
  const { home, slots, settings, checkMs, membersMs, log } = options;
  const withTls = settings.listen === undefined;
  const certificates = createCertificateChecks(settings, options.now);
  const members = createMemberWatch({ slots, check: settings.check, everyMs: membersMs, log });
  const authority = createFleetAuthority(home, settings);
  const serving = createServingFile(slots);
  /** The problem of Caddy as a whole, the problems of single sites, and of what is none of these. */
  let problem: string | null = null;
  let problems: ReadonlyMap<ProjectId, SiteProblem> = new Map();
  let otherProblems: readonly string[] = [];
  let fileProblems: readonly string[] = [];
  let certified: CertificatesFound = { problems: new Map(), certificates: new Map() };
  /** What Caddy is configured for. */
  let accepted: IngressInput | null = null;
  let isApplied = false;
  let shown = "";
  /** The problems at the last call of `onChange`. The hello reports the problems before the first call. */
  let reported = JSON.stringify([null, [], [], [], null]);
  let onChange: () => void = () => undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  function setProblem(found: string | null): void {
    if (found === problem) return;
    problem = found;
    log(found ?? "the ingress works again");
  }

  function setOtherProblems(found: readonly string[]): void {
    for (const one of found) if (!otherProblems.includes(one)) log(one);
    otherProblems = found;
  }

  async function getAccepted(): Promise<IngressInput> {
    if (accepted !== null) return accepted;
    const read = await readAccepted(home);
    // A configuration that was accepted meanwhile is newer.
    return (accepted ??= read);
  }

  async function applyNow(): Promise<void> {
    isApplied = false;
    const before = await readAccepted(home);
    const read = await readSites(home, before.sites);
    const copied = withTls
      ? await copyCertificates(home, settings, before.certificates)
      : { certificates: [], problems: [] };
    // The state may be older than the policy.
    const fleet = allowFleet(options.policy, await readFleet(home));
    const wanted = { sites: read.sites, fleet: fleet.state, certificates: copied.certificates };
    const { plan, problems: names } = planIngress(wanted);
    if (withTls) {
      // Before Caddy leads requests by them.
      await members.set(plan.fleet.balanced);
      const known = servedForBalancers(planIngress(before).plan) ?? [];
      const served = servedForBalancers(plan);
      await serving.show(served?.filter((project) => known.includes(project)) ?? null);
    }
    const found = new Map(read.problems);
    for (const { project, isServed, reason } of names)
      if (found.get(project)?.isServed !== false) found.set(project, { isServed, reason });
    const { end, refused, refusedParts } = await loadSites(options, { ...wanted, sites: plan.sites });
    if (end.kind === "silent") return setProblem(silence(settings, end.reason));
    if (end.kind === "loaded") setProblem(null);
    for (const [project, reason] of refused)
      found.set(project, { isServed: false, reason: `Caddy refuses this site: ${reason}` });
    for (const [project, { reason }] of found)
      if (problems.get(project)?.reason !== reason)
        log(`the site of ${project} is not served as it should be: ${reason}`);
    problems = found;
    accepted = await readAccepted(home);
    if (withTls) await serving.show(servedForBalancers(planIngress(accepted).plan));
    fileProblems = copied.problems;
    const needsTls = !withTls && (plan.fleet.balanced.length > 0 || namesElsewhere(plan).size > 0);
    const tls = needsTls ? [NEEDS_TLS] : [];
    const refusedNow = refusedParts.map((part) => describePortInUse(part, settings) ?? part);
    setOtherProblems([...tls, ...fleet.refusals, ...copied.problems, ...refusedNow]);
    await members.removeOthers();
    await removeOtherCopies(home, [...accepted.certificates, ...wanted.certificates]);
    isApplied = true;
    await show();
  }

  async function checkCertificates(): Promise<void> {
    const { plan } = planIngress(await getAccepted());
    const found = await certificates.check(publicSites(plan), plan.certificates);
    for (const [project, reason] of found.problems)
      if (certified.problems.get(project) !== reason) log(`${project}: ${reason}`);
    certified = found;
  }

  /** Whether certificates have been renewed in their files, or can be used now. */
  async function haveFilesChanged(): Promise<boolean> {
    if (!withTls || settings.certificates.length === 0) return false;
    const { certificates: before } = await getAccepted();
    const found = await copyCertificates(home, settings, before);
    return JSON.stringify(found) !== JSON.stringify({ certificates: before, problems: fileProblems });
  }

  const reasonOf = (projectId: ProjectId): string | null =>
    problems.get(projectId)?.reason ?? certified.problems.get(projectId) ?? null;

  const reportBalance = () => {
    const report = members.report();
    return report.length === 0 ? null : report;
  };

  /** For `gantry-agent status` and the control plane, when it changes. */
  async function show(): Promise<void> {
    const ids = new Set([...problems.keys(), ...certified.problems.keys()]);
    const refused = [...ids].map((project) => ({ project, reason: reasonOf(project) ?? "" }));
    const balance = reportBalance();
    const { sites } = await getAccepted();
    const status: IngressStatus = {
      problem,
      sites: sites.length,
      refused,
      balanced: balance?.length ?? 0,
      notes: [
        ...otherProblems,
        ...new Set((balance ?? []).flatMap(({ out }) => out.map((id) => `${id} does not answer`))),
      ],
    };
    const hasNewAuthority = await authority.look();
    const text = JSON.stringify(status);
    if (text === shown && !hasNewAuthority) return;
    shown = text;
    const expiring = [...certified.certificates.values()].flat().filter(({ state }) => state === "late");
    const latest = JSON.stringify([problem, refused, expiring, otherProblems, balance]);
    if (latest !== reported || hasNewAuthority) onChange();
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
    async readCertificate(name) {
      // Its balancers have the certificate.
      const isElsewhere = namesElsewhere(planIngress(await getAccepted()).plan).has(name);
      return isElsewhere ? null : certificates.stateOf(name);
    },
    leave: (projectId) => serving.leave(projectId),
    reportFleet: () => authority.report(),
    reportBalance,
    fleetProblem: () =>
      otherProblems[0] ??
      members
        .report()
        .map(({ project_id }) => reasonOf(project_id))
        .find((reason) => reason !== null) ??
      null,
    async watch(signal, changed) {
      onChange = changed;
      // The slots of balanced projects, after a reboot, also while Caddy does not answer.
      void members.watch(signal);
      while (!signal.aborted) {
        const reason = await checkCaddy(settings.admin);
        if (reason !== null) setProblem(silence(settings, reason));
        else if (!isApplied || (await haveFilesChanged())) await apply();
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
