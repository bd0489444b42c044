import type { BalanceReports, FleetReport } from "#contract/agent-fleet.ts";
import type { CertificateState } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { CertificateHealth } from "#contract/reported-health.ts";

/** Where to send a request that the ingress answers as one to the domain. The Host header is the domain. */
export type IngressTarget = { readonly url: URL; readonly socketPath: string };

/**
 * The program that receives the visitors' requests on this server, and leads them to the projects. It finds instances
 * and files by the slots (`slots.ts`), so only a change of a `site.json` has to be applied. No function throws.
 */
export type Ingress = {
  /** `none`: the owner's own web server, or the site server of `npm start`, which need no configuration. */
  readonly kind: "none" | "caddy";
  /**
   * Configures the ingress for the sites of all projects, if this is not done yet. Safe to repeat. A site that the
   * ingress refuses does not change the others; any other failure is retried.
   */
  apply(): Promise<void>;
  /** Where to check a project through the ingress; null without one, which this process could ask. */
  targetOf(domain: string, path: string): IngressTarget | null;
  /** Why the ingress as a whole does not work, as a sentence. */
  problem(): string | null;
  /** Why a project's site is not served as `site.json` says, as a sentence. */
  problemOf(projectId: ProjectId): string | null;
  /** The certificates of a project's domains; null if this ingress does not look after them, or has not checked them yet. */
  certificatesOf(projectId: ProjectId): CertificateHealth[] | null;
  /** As `problemOf`, if its domain does not lead to the project at all. */
  refusalOf(projectId: ProjectId): string | null;
  /** The state of a host name's certificate now; null if the ingress does not terminate TLS. */
  readCertificate(name: string): Promise<CertificateState | null>;
  /**
   * Has the balancers of a project send no more requests here. Call it before the project's site is removed. It takes some
   * seconds if there are any.
   */
  leave(projectId: ProjectId): Promise<void>;
  /** How other servers reach this ingress; null without TLS, and before it has an authority of its own. */
  reportFleet(): Promise<FleetReport | null>;
  /** What is out of the projects that this server balances; null: it balances none. */
  reportBalance(): BalanceReports | null;
  /** Why this server does not do for other servers what it should, or cannot use a certificate, as a sentence. */
  fleetProblem(): string | null;
  /**
   * Looks after the ingress until the signal is aborted: applies what could not be applied, and notices that it ended.
   * @param onChange called when a problem has appeared, changed or ended
   */
  watch(signal: AbortSignal, onChange: () => void): Promise<void>;
};

export const noIngress: Ingress = {
  kind: "none",
  apply: () => Promise.resolve(),
  targetOf: () => null,
  problem: () => null,
  problemOf: () => null,
  certificatesOf: () => null,
  refusalOf: () => null,
  readCertificate: () => Promise.resolve(null),
  leave: () => Promise.resolve(),
  reportFleet: () => Promise.resolve(null),
  reportBalance: () => null,
  fleetProblem: () => null,
  watch: () => Promise.resolve(),
};
