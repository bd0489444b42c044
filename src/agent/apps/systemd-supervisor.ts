import * as z from "zod/mini";

import {
  type InstanceExit,
  type InstanceSpec,
  STOP_ANSWER_MS,
  type SupervisedInstance,
  type Supervisor,
  type SupervisorResult,
} from "#agent/apps/supervisor.ts";
import { askHelper, type HelperAnswer } from "#agent/isolation/helper.ts";
import { instanceScript } from "#agent/isolation/job-script.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { InstanceCommand } from "#agent/supervisor/protocol.ts";
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
  /** Asks for something of one instance. The helper reads a line, so a name must not contain another one. */
  async function ask(
    verb: "start" | "stop" | "listens",
    project: ProjectId,
    name: string,
    words: readonly (string | number)[],
    { rest = "", answerMs }: { readonly rest?: string; readonly answerMs?: number } = {},
  ): Promise<SupervisorResult<readonly string[]>> {
    if (!InstanceName.safeParse(name).success)
      return refused(`${JSON.stringify(name)} is not the name of an instance`);
    const request = `${["app", verb, project, ...words].join(" ")}\n${rest}`;
    return resultOf(await askHelper(socketPath, request, answerMs));
  }

  return {
    kind: "systemd",
    async start(spec) {
      const { project, name, release, limits, stopSignal, stopSeconds } = spec;
      const script = scriptOf(home, spec);
      if (!script.ok) return script;
      const { memoryMb, cpuWeight, tasks } = limits;
      const words = [release, name, memoryMb ?? "infinity", cpuWeight, tasks, stopSignal, stopSeconds];
      const length = Buffer.byteLength(script.value);
      const options = { rest: script.value, answerMs: START_MS };
      return done(await ask("start", project, name, [...words, length], options));
    },
    async stop(project, name) {
      return done(await ask("stop", project, name, [name], { answerMs: STOP_ANSWER_MS }));
    },
    async list(project) {
      const request = project === null ? "app list" : `app list ${project}`;
      const answer = resultOf(await askHelper(socketPath, `${request}\n`));
      if (!answer.ok) return answer;
      const found: SupervisedInstance[] = [];
      for (const word of answer.value) {
        const instance = readInstance(word);
        if (instance === null) return refused(`the isolation helper's answer is unreadable: ${word}`);
        found.push(instance);
      }
      return succeed(found);
    },
    async listensOn(project, name, port) {
      const answer = await ask("listens", project, name, [name, port]);
      return answer.ok ? succeed(answer.value[0] === "yes") : answer;
    },
  };
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
