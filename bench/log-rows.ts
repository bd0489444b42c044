import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { followLog } from "#client/follow-log.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { memoryOf } from "../test/support/faults/processes.ts";
import { createRepository, type Repository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { percentile, type Row, time } from "./measure.ts";
import { watchWorkerHeap } from "../test/support/worker-heap.ts";

const AT_ONCE = 10;
const LATENCY_GOAL_MS = 200;
const FLOOD_MIB = 100;
/** How much the agent's memory may grow while the output of a build passes through it. */
const FLOOD_GROWTH_GOAL_MIB = 64;
/** The heap limit of an isolate. Source: Cloudflare's documentation, "Limits" of Workers. */
const HEAP_LIMIT_MIB = 128;
/** How much more heap the Worker may use after the build, apart from caches that were empty before. */
const HEAP_KEPT_GOAL_MIB = 4;

/** Measures the time from a line's output at the agent to its arrival at a client. */
export async function measureLogLatency(system: System, home: string): Promise<Row> {
  const repository = await createRepository(join(home, "bench-lines"));
  await repository.commit({ "index.html": "lines" });
  const build_command = "i=0; while [ $i -lt 100 ]; do i=$((i + 1)); echo line $i; sleep 0.05; done";
  const projects = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      createProject(system, repository, `bench-lines-${index}`, build_command),
    ),
  );
  const late: number[] = [];
  const follow = async (project: Project): Promise<void> => {
    const { id } = await system.api.start(project.id);
    for await (const line of linesOf(system, id)) {
      const lateMs = Date.now() - Date.parse(line.time);
      // The first line waits until the client has connected.
      if (line.stream === "stdout" && line.message !== "line 1") late.push(lateMs);
    }
  };
  await Promise.all(projects.map(follow));
  const p95 = percentile(late, 95);
  return {
    what: `output line at the agent to an SSE client, ${AT_ONCE} deployments at once`,
    measured: `p95 ${p95.toFixed(0)} ms`,
    against: `p50 ${percentile(late, 50).toFixed(0)} ms, ${late.length} lines`,
    ratio: "–",
    goal: `p95 ≤ ${LATENCY_GOAL_MS} ms`,
    isMet: p95 <= LATENCY_GOAL_MS,
  };
}

/** Measures a build that writes as fast as it can, far beyond the size limit of a log. */
export async function measureFlood(system: System, home: string, inspectorPort: number): Promise<Row> {
  const repository = await createRepository(join(home, "bench-flood"));
  await repository.commit({ "index.html": "flood" });
  const command = `yes "$(printf %0100d 0)" | head -c ${FLOOD_MIB * 1024 * 1024}`;
  const project = await createProject(system, repository, "bench-flood", command);
  const agentPid = system.local.agent_pid;
  const before = memoryNow(agentPid);
  let lastLine = "";
  let ms = 0;
  const heap = await watchWorkerHeap(inspectorPort, async () => {
    ms = await time(async () => {
      const { id } = await system.api.start(project.id);
      const ended = await system.api.ended(id, 300_000);
      if (ended.status !== "live") throw new Error(`the flood ended ${JSON.stringify(ended)}`);
      lastLine = await cutMarkOf(system, id);
    });
  });
  const agentPeak = memoryOf(agentPid).peak;
  const growth = agentPeak - before;
  const heapText = `heap of the Worker ${heap.before} MiB, at most ${heap.peak}, then ${heap.after}`;
  return {
    what: `${FLOOD_MIB} MiB of build output at full speed`,
    measured: `${(ms / 1000).toFixed(1)} s; ${heapText}; agent ${agentPeak} MiB (+${growth})`,
    against: lastLine,
    ratio: "–",
    goal: `heap ≤ ${HEAP_LIMIT_MIB} MiB and back, agent +${FLOOD_GROWTH_GOAL_MIB} MiB, log cut`,
    isMet:
      heap.peak <= HEAP_LIMIT_MIB &&
      heap.after <= heap.before + HEAP_KEPT_GOAL_MIB &&
      growth <= FLOOD_GROWTH_GOAL_MIB &&
      lastLine !== "",
  };
}

/** The line that says that the log was cut; empty if there is none. */
async function cutMarkOf(system: System, deploymentId: DeploymentId): Promise<string> {
  let mark = "";
  for await (const line of linesOf(system, deploymentId))
    if (line.stream === "system" && /log is (cut|full)/i.test(line.message)) mark = `log: "${line.message}"`;
  return mark;
}

/** The lines of a log until its end. @throws if a connection failed, because the measured times would be wrong */
async function* linesOf({ local }: System, deploymentId: DeploymentId): AsyncGenerator<LogLine> {
  const transport = { baseUrl: local.url, token: local.token, fetch };
  for await (const event of followLog(transport, deploymentId)) {
    if (event.type === "line") yield event.line;
    else if (event.type !== "end") throw new Error(`the log: ${event.problem.detail}`);
  }
}

function createProject(
  system: System,
  repository: Repository,
  name: string,
  build_command: string,
): Promise<Project> {
  const { server_id } = system.local;
  return system.api.createProject({ name, server_id, repository: repository.path, build_command });
}

/** The memory of a process in MiB. Resets its peak. Source: proc_pid_clear_refs(5). */
function memoryNow(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return memoryOf(pid).now;
}
