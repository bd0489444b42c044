import { join } from "node:path";

import type { InstanceExit, SupervisedInstance, Supervisor } from "#agent/apps/supervisor.ts";
import { askHelper, type HelperAnswer } from "#agent/isolation/helper.ts";
import { instanceScript } from "#agent/isolation/job-script.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { ProjectId } from "#contract/ids.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The helper gives the release to the project's user first, and a release may have many files. */
const START_MS = 300_000;
/** Longer than the longest grace period of an instance. */
const STOP_MS = 660_000;

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
  return {
    kind: "systemd",
    async start({ project, name, release, command, limits, stopSignal, stopSeconds }) {
      const script = instanceScript(command, join(projectFolder(home, project).logs, `${name}.log`));
      const { memoryMb, cpuWeight, tasks } = limits;
      const words = [
        ...["app start", project, release, name, memoryMb ?? "infinity", cpuWeight, tasks],
        ...[stopSignal, stopSeconds, Buffer.byteLength(script)],
      ];
      return doneOf(await askHelper(socketPath, `${words.join(" ")}\n${script}`, START_MS));
    },
    async stop(project, name) {
      return doneOf(await askHelper(socketPath, `app stop ${project} ${name}\n`, STOP_MS));
    },
    async list(project) {
      const request = project === null ? "app list" : `app list ${project}`;
      const answer = await askHelper(socketPath, `${request}\n`);
      if (answer.kind === "failed") return refused(answer.reason);
      const found: SupervisedInstance[] = [];
      for (const word of answer.words.slice(1)) {
        const instance = readInstance(word);
        if (instance === null) return refused(`the isolation helper's answer is unreadable: ${word}`);
        found.push(instance);
      }
      return succeed(found);
    },
    async listensOn(project, name, port) {
      const answer = await askHelper(socketPath, `app listens ${project} ${name} ${port}\n`);
      return answer.kind === "failed" ? refused(answer.reason) : succeed(answer.words[1] === "yes");
    },
  };
}

type Refusal = ResultOf<never, { readonly reason: string }>;

function refused(reason: string): Refusal {
  return { ok: false, reason };
}

function doneOf(answer: HelperAnswer): ResultOf<null, { readonly reason: string }> {
  return answer.kind === "failed" ? refused(answer.reason) : succeed(null);
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
