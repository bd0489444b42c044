import { readDesired } from "#agent/apps/desired.ts";
import { knownInstances } from "#agent/apps/report-processes.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { readLinkStatus } from "#agent/link/link-status.ts";
import type { Labels, Metric, Sample } from "#agent/metrics/exposition.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { hasFailed } from "#contract/processes/process-state.ts";
import { wantedInstances } from "#contract/processes/resolve-processes.ts";

/** Name, type and text of each metric. The names are an interface: dashboards and alerts use them. */
const described = {
  gantry_build_info: ["gauge", "The agent's version; always 1."],
  gantry_link_connected: ["gauge", "Whether the agent is connected to the control plane."],
  gantry_ingress_up: ["gauge", "Whether the ingress works; missing without one."],
  gantry_project_release: ["gauge", "The release that the project serves."],
  gantry_project_ingress_problem: ["gauge", "Whether the ingress does not serve the project as it should."],
  gantry_process_instances_wanted: ["gauge", "How many instances of the process should run."],
  gantry_process_instances_live: ["gauge", "How many instances of the process run and have been checked."],
  gantry_instance_up: ["gauge", "Whether the instance runs: 0 while it waits for its restart."],
  gantry_instance_crash_looping: ["gauge", "Whether the instance ends again and again."],
  gantry_instance_draining: ["gauge", "Whether the instance was replaced and finishes its requests."],
  gantry_instance_restarts_total: ["counter", "How often the instance was started again."],
  gantry_instance_start_time_seconds: ["gauge", "When the instance was last started, in Unix time."],
  gantry_instance_memory_bytes: ["gauge", "The memory of all processes of the instance."],
  gantry_instance_cpu_seconds_total: ["counter", "The CPU time of the instance since its last start."],
  gantry_runs_total: ["counter", "Runs that ended since the agent's start, by their result."],
  gantry_run_last_live: ["gauge", "Whether the last run put its release live."],
  gantry_run_last_end_time_seconds: ["gauge", "When the last run ended, in Unix time."],
  gantry_run_last_stage_seconds: ["gauge", "How long a stage of the last run took."],
  process_start_time_seconds: ["gauge", "When the agent started, in Unix time."],
  process_cpu_seconds_total: ["counter", "The CPU time of the agent."],
  process_resident_memory_bytes: ["gauge", "The memory of the agent."],
} as const satisfies Record<string, readonly [Metric["type"], string]>;

type MetricName = keyof typeof described;

/** Adds a sample, unless its value is not known. */
type Add = (name: MetricName, labels: Labels, value: number | boolean | null) => void;

/** Reads what the agent knows of itself, its projects, their instances and their runs. */
export async function readMetrics(context: AgentContext): Promise<readonly Metric[]> {
  const samples = new Map<string, Sample[]>();
  const add: Add = (name, labels, value) => {
    if (value === null) return;
    const all = samples.get(name) ?? [];
    all.push({ labels, value: Number(value) });
    samples.set(name, all);
  };
  await addAgent(context, add);
  const projects = await listProjects(context.home);
  const listed = projects.some(({ folder }) => readDesired(folder) !== null)
    ? await context.supervisor.list(null)
    : null;
  for (const { folder } of projects)
    await addProject(context, folder, listed?.ok === true ? listed.value : [], add);
  return Object.entries(described).map(([name, [type, help]]) => ({
    name,
    type,
    help,
    samples: samples.get(name) ?? [],
  }));
}

async function addAgent({ home, ingress, clock }: AgentContext, add: Add): Promise<void> {
  const link = await readLinkStatus(home);
  add(
    "gantry_build_info",
    { version: AGENT_VERSION, protocol: String(PROTOCOL_VERSION), node: process.version },
    1,
  );
  add("gantry_link_connected", {}, link?.pid === process.pid && link.connected);
  if (ingress.kind !== "none" || ingress.problem() !== null)
    add("gantry_ingress_up", {}, ingress.problem() === null);
  const { user, system } = process.cpuUsage();
  add("process_start_time_seconds", {}, Math.round(clock.now() / 1000 - process.uptime()));
  add("process_cpu_seconds_total", {}, (user + system) / 1e6);
  add("process_resident_memory_bytes", {}, process.memoryUsage.rss());
}

async function addProject(
  context: AgentContext,
  folder: ProjectFolder,
  listed: readonly SupervisedInstance[],
  add: Add,
): Promise<void> {
  const current = await readCurrent(folder);
  const release = current === null ? null : await readRelease(folder, current);
  const labels = { project: release?.project_name ?? "", project_id: folder.id };
  add("gantry_project_release", labels, current);
  if (context.ingress.kind !== "none")
    add("gantry_project_ingress_problem", labels, context.ingress.problemOf(folder.id) !== null);
  addRuns(context, folder, labels, add);
  const desired = readDesired(folder);
  if (desired === null) return;
  const known = knownInstances(context, folder, desired, listed);
  for (const process of desired.processes) {
    const live = known.filter((one) => one.process === process.name && one.state === "live");
    const one = { ...labels, process: process.name };
    add("gantry_process_instances_wanted", one, wantedInstances(process));
    add("gantry_process_instances_live", one, live.length);
  }
  for (const { process, state, supervised } of known) {
    const one = { ...labels, process, name: supervised.name };
    const { startedAt, cpuMs } = supervised;
    add("gantry_instance_up", one, !hasFailed(state));
    add("gantry_instance_crash_looping", one, state === "crash_looping");
    add("gantry_instance_draining", one, state === "draining");
    add("gantry_instance_restarts_total", one, supervised.restarts);
    add("gantry_instance_start_time_seconds", one, startedAt === null ? null : startedAt / 1000);
    add("gantry_instance_memory_bytes", one, supervised.memoryBytes);
    add("gantry_instance_cpu_seconds_total", one, cpuMs === null ? null : cpuMs / 1000);
  }
}

function addRuns({ runs }: AgentContext, { id }: ProjectFolder, labels: Labels, add: Add): void {
  const known = runs.of(id);
  if (known === null) return;
  for (const [result, count] of Object.entries(known.counts))
    add("gantry_runs_total", { ...labels, result }, count);
  add("gantry_run_last_live", labels, known.last === "live");
  add("gantry_run_last_end_time_seconds", labels, known.endedAt / 1000);
  for (const { stage, duration } of known.stages)
    add("gantry_run_last_stage_seconds", { ...labels, stage }, duration);
}
