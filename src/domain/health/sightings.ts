import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { InstanceReport, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import { liveCount, processState } from "#contract/processes/process-state.ts";
import type { CertificateHealth, JobHealth } from "#contract/reported-health.ts";

export type SightingKind = "process" | "cron" | "certificate";

/** `unknown`: this report does not tell, such as while an instance is starting. `stopped`: a user stopped it. */
type Verdict = "failing" | "working" | "stopped" | "unknown";

/** What a report says about a process, a cron job or a certificate; only its name if it no longer exists. */
export type Sighting = { readonly name: string; readonly verdict: Verdict } & (
  | {
      readonly kind: "process";
      readonly process: ProcessReport | null;
      readonly crashed: InstanceReport | null;
    }
  | { readonly kind: "cron"; readonly job: JobHealth | null }
  | { readonly kind: "certificate"; readonly certificate: CertificateHealth | null }
);

/**
 * What a report says. `isKnown`: whether it lists all of a kind.
 * @param report null: the project is no longer on the server
 */
export function sightingsOf(report: ProjectReport | null): {
  readonly sightings: readonly Sighting[];
  readonly isKnown: (kind: SightingKind) => boolean;
} {
  if (report === null) return { sightings: [], isKnown: () => true };
  const { processes, jobs, certificates } = report;
  const lists = { process: processes, cron: jobs, certificate: certificates };
  return {
    sightings: [
      ...(processes ?? []).map(processSighting),
      ...(jobs ?? []).map((job) => {
        const verdict = job.failed === null ? ("working" as const) : ("failing" as const);
        return { kind: "cron" as const, name: job.name, verdict, job };
      }),
      ...(certificates ?? []).map((certificate) => ({
        kind: "certificate" as const,
        name: certificate.domain,
        verdict: certificateVerdict(certificate),
        certificate,
      })),
    ],
    isKnown: (kind) => lists[kind] !== undefined,
  };
}

/** The sighting of a subject that no longer exists. @param key its kind and name */
export function lastSighting(key: string): Sighting | null {
  const at = key.indexOf(" ");
  const gone = { name: key.slice(at + 1), verdict: "unknown" } as const;
  switch (key.slice(0, at)) {
    case "process":
      return { ...gone, kind: "process", process: null, crashed: null };
    case "cron":
      return { ...gone, kind: "cron", job: null };
    case "certificate":
      return { ...gone, kind: "certificate", certificate: null };
    default:
      return null;
  }
}

function processSighting(process: ProcessReport): Sighting {
  const crashed = process.instances.find(({ state }) => state === "crash_looping") ?? null;
  return { kind: "process", name: process.name, verdict: processVerdict(process), process, crashed };
}

function processVerdict(process: ProcessReport): Verdict {
  switch (processState(process)) {
    case "crash_looping":
      return "failing";
    case "stopped":
    case "idle":
      return "stopped";
    case "running":
      return liveCount(process) > 0 ? "working" : "unknown";
    case "restarting":
    case "starting":
    case "missing":
      return "unknown";
  }
}

function certificateVerdict({ state }: CertificateHealth): Verdict {
  switch (state) {
    case "late":
      return "failing";
    case "valid":
      return "working";
    case "missing":
    case "unknown":
      return "unknown";
  }
}
