import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { HealthReason, ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { hasFailed, liveCount, processState } from "#contract/processes/process-state.ts";

/** What does not work of a project, from a report of its server's agent. Events have their own rules (`noteHealth`). */
export function healthReasons({
  processes = [],
  jobs = [],
  certificates = [],
  ingress_problem: ingress,
}: ProjectReport): HealthReason[] {
  const none = { detail: null, running: null, desired: null, run: null };
  const late = certificates.filter(({ state }) => state === "late");
  const isTold = late.some(({ problem }) => problem === ingress);
  return [
    ...processes.filter(isDegraded).map((process): HealthReason => {
      const running = liveCount(process);
      const { name, wanted } = process;
      const summary = `${name} ${running} of ${wanted}`;
      return { ...none, type: "process", name, summary, detail: exitOf(process), running, desired: wanted };
    }),
    ...jobs.flatMap(({ name, failed }): HealthReason[] => {
      if (failed === null) return [];
      const summary = `cron job ${name} failed`;
      return [{ ...none, type: "cron", name, summary, detail: failed.message, run: failed.number }];
    }),
    ...late.map(({ domain, problem }): HealthReason => {
      const summary = `certificate of ${domain} expires soon`;
      return { ...none, type: "certificate", name: domain, summary, detail: problem };
    }),
    ...(ingress === undefined || isTold
      ? []
      : [
          {
            ...none,
            type: "ingress" as const,
            name: null,
            summary: "the ingress has a problem",
            detail: ingress,
          },
        ]),
  ];
}

/** Instances that are starting are not a problem yet, nor are a deployment's instances while the earlier ones run. */
function isDegraded(process: ProcessReport): boolean {
  if (liveCount(process) >= process.wanted) return false;
  switch (processState(process)) {
    case "crash_looping":
    case "restarting":
    case "missing":
      return true;
    case "stopped":
    case "idle":
    case "starting":
    case "running":
      return false;
  }
}

function exitOf({ instances }: ProcessReport): string | null {
  return instances.find(({ state, last_exit: exit }) => hasFailed(state) && exit !== null)?.last_exit ?? null;
}

/**
 * The health of a project.
 * @param reasons of the last report; null: there was none
 * @param isConnected whether its server is
 */
export function projectHealth(reasons: readonly HealthReason[] | null, isConnected: boolean): ProjectHealth {
  if (reasons === null || !isConnected) return { state: "unknown", reasons: [...(reasons ?? [])] };
  return { state: reasons.length === 0 ? "ok" : "degraded", reasons: [...reasons] };
}
