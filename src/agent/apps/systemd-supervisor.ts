import * as z from "zod/mini";

import {
  type InsideListener,
  type InstanceExit,
  type InstanceSpec,
  STOP_ANSWER_MS,
  type SupervisedInstance,
  type Supervisor,
  type SupervisorResult,
} from "#agent/apps/supervisor.ts";
import { askHelper, type HelperAnswer, type HelperRequest } from "#agent/isolation/helper.ts";
import { instanceScript } from "#agent/isolation/job-script.ts";
import { helperLimits } from "#agent/isolation/run-isolated.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { InstanceCommand } from "#agent/supervisor/protocol.ts";
import { supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import { InstanceName } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

/** The helper gives the release to the project's user first, and a release may have many files. */
const START_MS = 300_000;
/** The limit of the helper. systemd's own limit for a credential of a unit is higher. */
const MAX_SCRIPT_BYTES = 1_000_000;

export type SystemdSupervisorOptions = {
  readonly home: string;
  /** The isolation helper's socket. */
  readonly socketPath: string;
};

/**
 * systemd, through the isolation helper: each instance is a unit, which runs as its project's user in the sandbox of
 * commands. The units do not end with the agent, and nothing of them is left after a reboot.
 */
export function createSystemdSupervisor({ home, socketPath }: SystemdSupervisorOptions): Supervisor {
  async function ask(
    request: Extract<HelperRequest, { readonly instance: string }>,
    options: { readonly rest?: string; readonly answerMs?: number } = {},
  ): Promise<SupervisorResult<readonly string[]>> {
    const { instance } = request;
    if (!InstanceName.safeParse(instance).success)
      return refused(`${JSON.stringify(instance)} is not the name of an instance`);
    return resultOf(await askHelper(socketPath, request, options));
  }

  return {
    kind: "systemd",
    async start(spec) {
      const { project, name: instance, release: version } = spec;
      const script = scriptOf(home, spec);
      if (!script.ok) return script;
      const request = {
        ...({ verb: "start", project, version, instance } as const),
        ...(spec.command.engine === undefined ? {} : { engine: spec.command.engine }),
        ...helperLimits(spec.limits),
        ...supervisedOf(spec),
        job_bytes: Buffer.byteLength(script.value),
      };
      return done(await ask(request, { rest: script.value, answerMs: START_MS }));
    },
    async stop(project, instance) {
      return done(await ask({ verb: "stop", project, instance }, { answerMs: STOP_ANSWER_MS }));
    },
    async list(project) {
      const request: HelperRequest = project === null ? { verb: "list" } : { verb: "list", project };
      const answer = resultOf(await askHelper(socketPath, request));
      if (!answer.ok) return answer;
      const found: SupervisedInstance[] = [];
      for (const word of answer.value) {
        const instance = readInstance(word);
        if (instance === null) return refused(`the isolation helper's answer is unreadable: ${word}`);
        found.push(instance);
      }
      return succeed(found);
    },
    async listensOn(project, instance, port, inside) {
      const further = inside === undefined ? {} : { inside };
      const answer = await ask({ verb: "listens", project, instance, port, ...further });
      return answer.ok ? succeed(answer.value[0] === "yes") : answer;
    },
    async listenersInside(project, instance) {
      const answer = await ask({ verb: "ports", project, instance });
      return answer.ok ? succeed(answer.value.flatMap(listenerOf)) : answer;
    },
  };
}

/** `3000`, or `127.0.0.1:3000`. */
function listenerOf(word: string): readonly InsideListener[] {
  const [, local, digits] = /^(127\.0\.0\.1:)?(\d{1,5})$/.exec(word) ?? [];
  return digits === undefined ? [] : [{ port: Number(digits), isLocal: local !== undefined }];
}

function refused(reason: string): SupervisorResult<never> {
  return { ok: false, reason };
}

/** The words of an answer without the first, which names the request. */
function resultOf(answer: HelperAnswer): SupervisorResult<readonly string[]> {
  return answer.kind === "failed" ? refused(answer.reason) : succeed(answer.words.slice(1));
}

function done(result: SupervisorResult<unknown>): SupervisorResult<null> {
  return result.ok ? succeed(null) : result;
}

function scriptOf(home: string, { project, name, command }: InstanceSpec): SupervisorResult<string> {
  const read = InstanceCommand.safeParse(command);
  if (!read.success)
    return refused(`the command of ${name} cannot be started: ${z.prettifyError(read.error)}`);
  const script = instanceScript(command, instanceLog(projectFolder(home, project), name));
  return Buffer.byteLength(script) <= MAX_SCRIPT_BYTES
    ? succeed(script)
    : refused(`the command of ${name} and its variables are larger than ${MAX_SCRIPT_BYTES} bytes`);
}

const INSTANCE =
  /^(proj_\w+)\/([a-z0-9_-]+)\/(running|restarting|stopping)\/(\d+|-)\/(\d+)\/(\d+|-)\/([A-Z0-9+-]+)\/(yes|no|-)\/(\d+|-)\/(\d+|-)$/;

/** Reads one instance of the helper's list; `null` when it is none. */
export function readInstance(word: string): SupervisedInstance | null {
  const [, id, name, state, startedAt, restarts, code, signal, isOutOfMemory, memory, cpu] =
    INSTANCE.exec(word) ?? [];
  const project = ProjectId.safeParse(id);
  if (!project.success || name === undefined || !isState(state)) return null;
  return {
    project: project.data,
    name,
    state,
    startedAt: numberOf(startedAt),
    restarts: numberOf(restarts) ?? 0,
    lastExit: exitOf(numberOf(code), signal, isOutOfMemory),
    memoryBytes: numberOf(memory),
    cpuMs: numberOf(cpu),
  };
}

function isState(text: string | undefined): text is SupervisedInstance["state"] {
  return text === "running" || text === "restarting" || text === "stopping";
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}

function exitOf(
  code: number | null,
  signal: string | undefined,
  isOutOfMemory: string | undefined,
): InstanceExit | null {
  const hasSignal = signal !== undefined && signal !== "-";
  if (code === null && !hasSignal) return null;
  return { code, signal: hasSignal ? `SIG${signal}` : null, isOutOfMemory: isOutOfMemory === "yes" };
}
