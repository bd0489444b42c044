import { mkdir, statfs } from "node:fs/promises";

import type { AgentContext } from "#agent/context/context.ts";
import { removeProject } from "#agent/lifecycle/remove-project.ts";
import { pause } from "#contract/lib/pause.ts";
import { checkRemoval } from "#agent/policy/check-policy.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type Leftover, recoverProject } from "#agent/lifecycle/recover.ts";
import { reportLeftover } from "#agent/lifecycle/report-leftover.ts";
import { correctRelease } from "#agent/lifecycle/correct-release.ts";
import { createProjectTurns, type Turn } from "#agent/run/project-turns.ts";
import { takeRun, type TakenRun } from "#agent/run/take-run.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { limitOutput } from "#agent/workspace/output-folder.ts";
import { projectFolder, type ProjectFolder, projectsFolder } from "#agent/workspace/project-folder.ts";
import { listProjects, reportProject } from "#agent/workspace/project-report.ts";
import {
  type ActiveRun,
  type FromAgent,
  MAX_REPORTED_PROJECTS,
  MAX_REPORTED_RUNS,
  PROTOCOL_VERSION,
  type RunOrder,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import type { ProjectId, RunId } from "#contract/ids.ts";

/** What the agent does with what it is told, however that reaches it. */
export type Agent = {
  /** Puts everything in order that an earlier life has left. Call it before anything else. */
  start(): Promise<void>;
  handle(message: Exclude<ToAgent, { type: "welcome" }>): void;
  hello(): Promise<Extract<FromAgent, { type: "hello" }>>;
  status(): Promise<Extract<FromAgent, { type: "status" }>>;
  /** Ends every run, and tries for a short time to tell the control plane. */
  stop(): Promise<void>;
};

/** Enough to know a message that comes twice, few enough to forget. */
const REMEMBERED_RUNS = 500;
const SITES_MS = 1_500;

/** How the agent speaks first. What it says while there is no link is lost; the greeting tells the same. */
export type Outlet = {
  /** What this server serves has changed without a run's result to tell it. */
  readonly announce: () => void;
  readonly send: (message: FromAgent) => void;
};

export function createAgent(context: AgentContext, { announce, send }: Outlet): Agent {
  const turns = createProjectTurns();
  const taken = new Map<RunId, TakenRun>();
  const leftovers = new Map<RunId, ActiveRun>();
  const remembered = new Set<RunId>();
  /** Runs that were to be stopped before their order came. */
  const stoppedEarly = new Set<RunId>();
  const ended = new AbortController();
  let isStopping = false;

  function remember(id: RunId, ids = remembered): void {
    ids.add(id);
    const [oldest] = ids;
    if (ids.size > REMEMBERED_RUNS && oldest !== undefined) ids.delete(oldest);
  }

  function stop(id: RunId): void {
    taken.get(id)?.interrupt.raise("stop");
    if (!remembered.has(id)) remember(id, stoppedEarly);
  }

  function take(order: RunOrder): void {
    if (remembered.has(order.run_id) || isStopping) return;
    remember(order.run_id);
    context.log(`${order.project_name}: version ${order.version}, run ${order.run_id}`);
    const run = takeRun(context, turns, order);
    taken.set(order.run_id, run);
    if (stoppedEarly.delete(order.run_id)) run.interrupt.raise("stop");
    void run.delivered.then((delivery) => {
      taken.delete(order.run_id);
      const end = delivery === "stored" ? "has ended" : "was ended by the control plane";
      context.log(`${order.project_name}: run ${order.run_id} ${end}`);
      if (delivery === "ended") void sendServing(order.project_id);
    });
  }

  /**
   * Does something to a project once it is its turn. Nobody waits for it who could be told that it failed, so that is said.
   * @param failed what is said then, before the reason
   * @returns `null` when it failed
   */
  async function inTurn<Value>(
    projectId: ProjectId,
    failed: string,
    act: (turn: Turn) => Promise<Value>,
  ): Promise<Value | null> {
    const turn = await turns.take(projectId);
    try {
      return await act(turn);
    } catch (error) {
      context.log(`${failed}: ${messageOf(error)}`);
      return null;
    } finally {
      turn.end();
    }
  }

  async function correctServedRelease(projectId: ProjectId, version: number): Promise<void> {
    const failed = `${projectId}: could not switch to release ${version}, which should be live`;
    const hasChanged =
      (await inTurn(projectId, failed, () => correctRelease(context, projectId, version))) ??
      (await readCurrent(projectFolder(context.home, projectId))) === version;
    // To tell that nothing has changed would only have the control plane ask for it again.
    if (hasChanged) await sendServing(projectId);
  }

  /** After a change that no result tells: the control plane compares it with what should be served. */
  async function sendServing(projectId: ProjectId): Promise<void> {
    send({ type: "serving", project: await reportProject(context, projectId) });
  }

  async function remove(projectId: ProjectId, purge: boolean): Promise<void> {
    if (isStopping) return;
    const refusal = checkRemoval(context.policy, purge);
    // Not told, so it will be asked for again, until the policy or the control plane's mind has changed.
    if (refusal !== null) return context.log(`${projectId}: ${refusal}`);
    // Where it fails it is not told either, and so asked for again.
    await inTurn(projectId, `${projectId} could not be let go of`, async () => {
      await removeProject(context, projectId, purge);
      send({ type: "project_removed", project_id: projectId, purge });
    });
  }

  async function settle(folder: ProjectFolder, leftover: Leftover): Promise<void> {
    const { run } = leftover.entry;
    remember(run.run_id);
    leftovers.set(run.run_id, run);
    context.log(`run ${run.run_id} was cut off when the agent ended: ${describe(leftover)}`);
    // Where it fails its note is still there, so the next start tries again.
    await inTurn(run.project_id, `run ${run.run_id} could not be brought to its end`, (turn) =>
      reportLeftover(context, folder, leftover, ended.signal, turn),
    );
    leftovers.delete(run.run_id);
    if (!ended.signal.aborted) await sendServing(run.project_id);
  }

  /** Until the agent ends: apps that activate commands have started may print for ever. */
  async function keepOutputShort(): Promise<void> {
    const { outputCheckMs, maxOutputFileBytes } = context.settings;
    while (!ended.signal.aborted) {
      for (const { folder } of await listProjects(context.home))
        await limitOutput(folder, maxOutputFileBytes);
      await pause(outputCheckMs, ended.signal);
    }
  }

  async function projects() {
    const all = (await listProjects(context.home)).slice(0, MAX_REPORTED_PROJECTS);
    return Promise.all(all.map(({ id }) => reportProject(context, id)));
  }

  async function disk() {
    const { blocks, bavail, bsize } = await statfs(context.home);
    return { total_bytes: blocks * bsize, free_bytes: bavail * bsize };
  }

  return {
    async start() {
      await mkdir(projectsFolder(context.home), { recursive: true });
      const registrations: Promise<unknown>[] = [];
      for (const { id, folder } of await listProjects(context.home)) {
        const remainder = await recoverProject(context, id, folder);
        if (remainder.leftover !== null) void settle(folder, remainder.leftover);
        if (remainder.correction !== null) void correctServedRelease(id, remainder.correction);
        if ((await readCurrent(folder)) !== null) registrations.push(context.sites.register(id, folder.root));
      }
      void keepOutputShort();
      // The greeting should tell where the sites are; one that takes longer is told of later.
      const sites = Promise.all(registrations);
      await Promise.race([sites, pause(SITES_MS)]);
      void sites.then(announce);
    },
    handle(message) {
      switch (message.type) {
        case "run":
          return take(message.order);
        case "stop":
          return stop(message.run_id);
        case "correct_release":
          // Where something is under way, its own end will tell what is served then.
          if (turns.isTaken(message.project_id) || isStopping) return;
          return void correctServedRelease(message.project_id, message.release);
        case "remove_project":
          return void remove(message.project_id, message.purge);
      }
    },
    async hello() {
      const runs = [...[...taken.values()].map(({ run }) => run), ...leftovers.values()];
      return {
        type: "hello",
        protocol: PROTOCOL_VERSION,
        agent_version: AGENT_VERSION,
        disk: await disk(),
        projects: await projects(),
        runs: runs.slice(0, MAX_REPORTED_RUNS),
      };
    },
    async status() {
      return { type: "status", disk: await disk(), projects: await projects() };
    },
    async stop() {
      isStopping = true;
      const running = [...taken.values()];
      for (const { interrupt } of running) interrupt.raise("shutdown");
      await Promise.all(running.map(({ finished }) => finished));
      const delivered = Promise.all(running.map((run) => run.delivered));
      const enough = new AbortController();
      await Promise.race([delivered, pause(context.settings.farewellMs, enough.signal)]);
      enough.abort();
      ended.abort();
      for (const run of running) run.abandon();
    },
  };
}

function describe({ result }: Leftover): string {
  switch (result.outcome) {
    case "live":
      return "it had gone live";
    case "canceled":
      return "it had been canceled";
    case "failed":
      return result.failure.message;
  }
}
