import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { InstanceReport, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import { hasFailed } from "#contract/processes/process-state.ts";

/** Of how many instances of a project the last lines of output are kept, and how much of each in UTF-16 code units. */
const MAX_OUTPUTS = 10;
const MAX_OUTPUT = 2000;

/**
 * What the control plane keeps of an agent's report. Memory and CPU use change all the time: a reader who wants them
 * asks the server. Of the output only the last lines of instances that do not run are kept, so that a report fits into a
 * row of D1 and of a Durable Object, whatever an agent sends.
 */
export function keptReport(report: ProjectReport): ProjectReport {
  if (report.processes === undefined) return report;
  let outputs = 0;
  const kept = (instance: InstanceReport): InstanceReport => {
    const isShown = hasFailed(instance.state) && instance.last_output !== null && outputs < MAX_OUTPUTS;
    if (isShown) outputs += 1;
    return {
      ...instance,
      memory_bytes: null,
      cpu_percent: null,
      last_output: isShown ? (instance.last_output?.slice(-MAX_OUTPUT).toWellFormed() ?? null) : null,
    };
  };
  const processes = report.processes.map((process): ProcessReport => ({
    ...process,
    instances: process.instances.map(kept),
  }));
  return { ...report, processes };
}

/** The part of a report that a lane needs. */
export function releaseReport(report: ProjectReport): ProjectReport {
  const { project_id, release, releases, url } = report;
  return { project_id, release, releases, url };
}
