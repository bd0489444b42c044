import { mkdir } from "node:fs/promises";

import { keepRunning } from "#agent/apps/keep-running.ts";
import { createOutputTimeNotes } from "#agent/apps/output/note-output-times.ts";
import { createOutputFollows } from "#agent/apps/output/follow-output.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { showDrain, showStarted } from "#agent/ingress/drain.ts";
import { showMaintenance } from "#agent/ingress/maintenance.ts";
import { createPauses } from "#agent/ingress/pauses.ts";
import { createCommands } from "#agent/jobs/commands.ts";
import { createCron } from "#agent/jobs/cron/cron.ts";
import { removeJobs } from "#agent/workspace/live-jobs.ts";
import { endLeftJobs } from "#agent/jobs/end-left-jobs.ts";
import { createRequests } from "#agent/lifecycle/answer-requests.ts";
import { removeProject } from "#agent/lifecycle/remove-project.ts";
import { pause } from "#contract/lib/pause.ts";
import { servesDomainNow } from "#agent/workspace/live-place.ts";
import { checkRemoval } from "#agent/policy/check-policy.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type Leftover, recoverProject } from "#agent/lifecycle/recover.ts";
import { reportLeftover } from "#agent/lifecycle/report-leftover.ts";
import { correctRelease } from "#agent/lifecycle/correct-release.ts";
import { createOrderedRuns } from "#agent/lifecycle/ordered-runs.ts";
import { prepareSshFolder } from "#agent/git/ssh/ssh-folder.ts";
import { endLeftReadings } from "#agent/git/mirror/reading-marker.ts";
import { createProjectTurns, type Turn } from "#agent/run/project-turns.ts";
import { createBranchWatch } from "#agent/watch/watch-branches.ts";
import { readCurrent, switchCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder, projectsFolder } from "#agent/workspace/project-folder.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { limitOutputFiles } from "#agent/lifecycle/limit-output-files.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import { reportHello, reportServer } from "#agent/report/server-report.ts";
import { reportProject } from "#agent/report/project-report.ts";
import { type ActiveRun, type FromAgent, MAX_REPORTED_RUNS, type ToAgent } from "#contract/agent-protocol.ts";
import { isAgentRequest } from "#contract/agent-requests.ts";
import type { ProjectId, RunId } from "#contract/ids.ts";

/** Carries out the control plane's messages, however they arrive. */
export type Agent = {
  /** Recovers what an earlier agent process left. Call it first. */
  start(): Promise<void>;
  handle(message: Exclude<ToAgent, { type: "welcome" }>): void;
  /** The link is open again: a `permit` may have been lost. */
  reconnected(): void;
  /** Reports that a run fails, because its order cannot be read. */
  refuse(run: ActiveRun, problem: string): void;
  hello(): Promise<Extract<FromAgent, { type: "hello" }>>;
  status(): Promise<Extract<FromAgent, { type: "status" }>>;
  /** Stops every run, and tries for a short time to report them. */
  stop(): Promise<void>;
};

/** How long the start waits for the sites, at most. */
const SITES_MS = 1_500;

/** Sends messages that the agent initiates. Messages without a link are lost; the next `hello` contains the same. */
export type AgentMessages = {
  /** Sends a `status` after a change that no run's result reports. */
  readonly announce: () => void;
  readonly send: (message: FromAgent) => void;
};

export function createAgent(context: AgentContext, { announce, send }: AgentMessages): Agent {
  const turns = createProjectTurns();
  const runs = createOrderedRuns(context, turns, (projectId) => void sendServing(projectId));
  /** Runs that an earlier agent process left, until they are reported. */
  const leftovers = new Map<RunId, ActiveRun>();
  const ended = new AbortController();
  const output = createOutputFollows(context, send, ended.signal);
  const outputTimes = createOutputTimeNotes(context);
  const commands = createCommands(context);
  const pauses = createPauses(context, ended.signal);
  const cron = createCron(context, (id) => void sendServing(id));
  const watch = createBranchWatch(context, turns, send, ended.signal);
  const requests = createRequests(context, { commands, cron, pauses }, ended.signal);
  let isStopping = false;

  /**
   * Runs an action when it is the project's turn. A failure is logged, because no caller can handle it.
   * @param failed the start of the log line of a failure
   * @returns `null` when the action failed
   */
  async function inTurn<Value>(
    projectId: ProjectId,
    failed: string,
    act: (turn: Turn) => Promise<Value>,
  ): Promise<Value | null> {
    const turn = await turns.acquire(projectId);
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
    // Reporting an unchanged release would only make the control plane repeat its message.
    if (hasChanged) await sendServing(projectId);
  }

  /** Reports a change that no result reports, so that the control plane compares it with the live release. */
  async function sendServing(projectId: ProjectId): Promise<void> {
    send({ type: "serving", project: await reportProject(context, projectId) });
  }

  async function remove(projectId: ProjectId, purge: boolean): Promise<void> {
    if (isStopping) return;
    const refusal = checkRemoval(context.policy, purge);
    // Not confirmed, so the control plane repeats the message until the policy or its request changes.
    if (refusal !== null) return context.log(`${projectId}: ${refusal}`);
    // After a failure it is not confirmed either, and the control plane repeats the message.
    watch.forget(projectId);
    await inTurn(projectId, `${projectId} could not be removed`, async () => {
      const folder = projectFolder(context.home, projectId);
      // Both first, so that no job and no command starts after the others were ended: commands run in the live release.
      await removeJobs(folder);
      await switchCurrent(folder, null);
      await Promise.all([commands.end(projectId), cron.end(projectId)]);
      await removeProject(context, projectId, purge);
      send({ type: "project_removed", project_id: projectId, purge });
    });
  }

  async function settle(folder: ProjectFolder, leftover: Leftover): Promise<void> {
    const { run } = leftover.entry;
    runs.noteKnown(run.run_id);
    leftovers.set(run.run_id, run);
    context.log(`run ${run.run_id} was interrupted when the agent ended: ${describe(leftover)}`);
    // After a failure its journal still exists, so the next start tries again.
    await inTurn(run.project_id, `run ${run.run_id} could not be finished`, (turn) =>
      reportLeftover(context, folder, leftover, ended.signal, turn),
    );
    leftovers.delete(run.run_id);
    if (!ended.signal.aborted) await sendServing(run.project_id);
  }

  /** Has the site server of this machine serve a project, if its domain leads here. */
  async function serveSite(projectId: ProjectId, folder: ProjectFolder): Promise<void> {
    if (servesDomainNow(folder)) await context.sites.register(projectId, folder.root);
    // The site server stores its list, and may have been unreachable at the deployment that changed it.
    else await context.sites.unregister(projectId).catch(() => undefined);
  }

  return {
    async start() {
      await mkdir(projectsFolder(context.home), { recursive: true });
      // On a full disk the agent must start: only it can remove projects to free space.
      await prepareSshFolder(context.home).catch((error: unknown) =>
        context.log(`the built-in host keys could not be written: ${messageOf(error)}`),
      );
      // Before the ready URL says that the server has started.
      await showDrain(context).catch((error: unknown) =>
        context.log(`the draining of the server could not be shown: ${messageOf(error)}`),
      );
      await endLeftReadings(context);
      await outputTimes.look();
      void outputTimes.watch(ended.signal);
      const registrations: Promise<unknown>[] = [];
      for (const { id, folder } of await listProjects(context.home)) {
        const unfinished = await recoverProject(context, id, folder);
        await showMaintenance(context.slots, folder).catch((error: unknown) =>
          context.log(`${id}: its maintenance could not be shown: ${messageOf(error)}`),
        );
        await pauses.resume(id);
        await endLeftJobs(context, folder);
        if (unfinished.leftover !== null) void settle(folder, unfinished.leftover);
        if (unfinished.correction !== null) void correctServedRelease(id, unfinished.correction);
        if ((await readCurrent(folder)) !== null) registrations.push(serveSite(id, folder));
      }
      const emptied = (folder: ProjectFolder, name: string) => {
        output.catchUp(instanceLog(folder, name));
        outputTimes.emptied(folder, name);
      };
      void limitOutputFiles(context, emptied, ended.signal);
      void cron.keepTimes(ended.signal);
      void context.ingress.watch(ended.signal, announce);
      void keepRunning(
        context,
        ended.signal,
        (id) => void sendServing(id),
        () =>
          void showStarted(context).catch((error: unknown) =>
            context.log(`the ready URL could not be changed: ${messageOf(error)}`),
          ),
      );
      // `hello` should contain the URLs of the sites. Sites that take longer are reported later.
      const sites = Promise.all(registrations);
      await Promise.race([sites, pause(SITES_MS)]);
      void sites.then(announce);
    },
    handle(message) {
      if (isAgentRequest(message))
        return void requests.answer(message).then((answer) => (answer === null ? undefined : send(answer)));
      switch (message.type) {
        case "run":
          if (!isStopping) runs.accept(message.order);
          return;
        case "stop":
          return runs.stop(message.run_id);
        case "permit":
          return runs.askAgain(message.run_id);
        case "correct_release":
          // When an operation is running, its end reports the served release.
          if (turns.isHeld(message.project_id) || isStopping) return;
          return void correctServedRelease(message.project_id, message.release);
        case "remove_project":
          return void remove(message.project_id, message.purge);
        case "follow_output":
          return output.follow(message);
        case "stop_output":
          return output.stop(message.project_id);
        case "watch":
          return watch.set(message.projects);
      }
    },
    reconnected: () => runs.askAgain(null),
    refuse(run, problem) {
      if (!isStopping) runs.refuse(run, problem);
    },
    hello: () => reportHello(context, [...runs.active(), ...leftovers.values()].slice(0, MAX_REPORTED_RUNS)),
    status: async () => ({ type: "status", ...(await reportServer(context)) }),
    async stop() {
      isStopping = true;
      const running = runs.shutDown();
      await Promise.all([commands.end(null), cron.end(null), ...running.map(({ finished }) => finished)]);
      const delivered = Promise.all(running.map((run) => run.delivered));
      const enough = new AbortController();
      await Promise.race([delivered, pause(context.settings.shutdownReportMs, enough.signal)]);
      enough.abort();
      ended.abort();
      for (const run of running) run.abandon();
    },
  };
}

function describe({ result }: Leftover): string {
  switch (result.outcome) {
    case "live":
      return "its release is live";
    case "built":
      return "other servers have its build";
    case "canceled":
      return "it was canceled";
    case "failed":
      return result.failure.message;
  }
}
