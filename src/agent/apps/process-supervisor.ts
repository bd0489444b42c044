import type * as z from "zod/mini";

import {
  type InstanceSpec,
  STOP_ANSWER_MS,
  type SupervisedInstance,
  type Supervisor,
  type SupervisorResult,
} from "#agent/apps/supervisor.ts";
import { connectSupervisor, type SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import {
  type InstanceBody,
  InstanceList,
  instancePath,
  instancesPath,
  type InstanceView,
  Listens,
} from "#agent/supervisor/protocol.ts";
import { supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * The supervisor of this home, a process of the agent's user that outlives the agent. Without cgroups, it cannot apply the
 * limits of an instance.
 */
export function createProcessSupervisor(options: SupervisorOptions): Supervisor {
  const connection = connectSupervisor(options);
  /** What this agent has started, by path, so that a new supervisor can start it again. */
  const started = new Map<string, InstanceBody>();

  async function start(path: string, body: InstanceBody): Promise<SupervisorResult<null>> {
    const answer = await connection.ask({ method: "PUT", path, body: JSON.stringify(body) });
    return answer.ok ? succeed(null) : answer;
  }

  /**
   * A supervisor that was killed has left instances to the present one, which needs their commands. It does not know
   * the instances that ended before it started.
   */
  async function sendCommandsAgain(views: readonly InstanceView[], folder: string): Promise<void> {
    const known = new Map(views.map((view) => [instancePath(view.project, view.name), view]));
    for (const [path, body] of [...started]) {
      const needsCommand = known.get(path)?.is_adopted ?? path.startsWith(folder);
      // If it fails, the next list tries again.
      if (needsCommand && started.has(path)) await start(path, body);
    }
  }

  return {
    kind: "process",
    async start(spec) {
      const path = instancePath(spec.project, spec.name);
      const body = bodyOf(spec);
      const answer = await start(path, body);
      if (answer.ok) started.set(path, body);
      return answer;
    },
    async stop(project, name) {
      const path = instancePath(project, name);
      started.delete(path);
      const answer = await connection.ask({ method: "DELETE", path, timeoutMs: STOP_ANSWER_MS });
      return answer.ok ? succeed(null) : answer;
    },
    async list(project) {
      const path = project === null ? "/instances" : instancesPath(project);
      const answer = await connection.askIfNeeded({ method: "GET", path });
      if (answer === null) return succeed([]);
      const list = parse(answer, InstanceList);
      if (!list.ok) return list;
      await sendCommandsAgain(list.value.instances, project === null ? "/" : instancesPath(project));
      return succeed(list.value.instances.map(reportOf));
    },
    async listensOn(project, name, port) {
      const answer = await connection.ask({
        method: "GET",
        path: `${instancePath(project, name)}/ports/${port}`,
      });
      const read = parse(answer, Listens);
      return read.ok ? succeed(read.value.listens) : read;
    },
    // It runs no containers.
    listenersInside: () => Promise.resolve(succeed([])),
  };
}

/** Ends all instances of this home and its supervisor. */
export async function endSupervisor(options: SupervisorOptions): Promise<SupervisorResult<null>> {
  const request = { method: "POST", path: "/end", timeoutMs: STOP_ANSWER_MS } as const;
  const answer = await connectSupervisor(options).askIfNeeded(request);
  return answer === null || answer.ok ? succeed(null) : answer;
}

function bodyOf(spec: InstanceSpec): InstanceBody {
  const { argv, cwd, env } = spec.command;
  return { command: { argv: [...argv], cwd, env: { ...env } }, ...supervisedOf(spec) };
}

function reportOf(view: InstanceView): SupervisedInstance {
  return {
    project: view.project,
    name: view.name,
    state: view.state,
    startedAt: view.started_at,
    restarts: view.restarts,
    // Without a cgroup, nobody sees which process the kernel has ended for memory.
    lastExit: view.last_exit === null ? null : { ...view.last_exit, isOutOfMemory: false },
    memoryBytes: view.memory_bytes,
    cpuMs: view.cpu_ms,
  };
}

function parse<Value>(
  answer: SupervisorResult<unknown>,
  schema: z.ZodMiniType<Value>,
): SupervisorResult<Value> {
  if (!answer.ok) return answer;
  const read = schema.safeParse(answer.value);
  return read.success ? succeed(read.data) : { ok: false, reason: "the supervisor's answer is unreadable" };
}
