import type { InstanceReport, ProcessReport } from "#contract/endpoints/processes/schemas.ts";

/** An instance that is live, unless `change` says otherwise. */
export function instanceReport(name: string, change: Partial<InstanceReport> = {}): InstanceReport {
  return {
    name,
    state: "live",
    started_at: "2026-11-20T09:14:43.090Z",
    restarts: 0,
    memory_bytes: 80 * 2 ** 20,
    cpu_percent: 1.4,
    last_exit: null,
    last_output: null,
    ...change,
  };
}

/** A process with one live instance, unless `change` says otherwise. */
export function processReport(name: string, change: Partial<ProcessReport> = {}): ProcessReport {
  const instances = [instanceReport(`${name}-7-0`)];
  return {
    name,
    command: `run ${name}`,
    port: name === "web",
    wanted: 1,
    stopped: false,
    instances,
    ...change,
  };
}

/** An instance that ends again and again. */
export const crashLooping: Partial<InstanceReport> = {
  state: "crash_looping",
  started_at: null,
  restarts: 6,
  memory_bytes: null,
  cpu_percent: null,
  last_exit: "ended with exit code 1",
  last_output: "listening\n\u001b[31mError: connect ECONNREFUSED 127.0.0.1:5432\u001b[39m\n",
};
