import { readOutput } from "#agent/apps/output/read-output.ts";
import { listCommandNotes } from "#agent/jobs/command-notes.ts";
import type { Commands } from "#agent/jobs/commands.ts";
import type { Cron } from "#agent/jobs/cron/cron.ts";
import { reportProcesses } from "#agent/apps/report-processes.ts";
import { limitReports } from "#agent/report/project-report.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { takeMaintenance } from "#agent/ingress/maintenance.ts";
import type { Pauses } from "#agent/ingress/pauses.ts";
import { testRepository } from "#agent/lifecycle/test-repository.ts";
import { deployKeyOf } from "#agent/ssh/repository-access.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import type { AgentAnswer, AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { PauseResult } from "#contract/endpoints/traffic/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** More tests at once are refused: each starts git, and a control plane must not overload the server with them. */
const MAX_TESTS = 4;

const NO_INGRESS = "The server has no Gantry ingress.";

/** Answers the control plane's requests. Nothing about them is stored: if an answer is lost, it asks again. */
export type Requests = {
  /** Never throws. */
  answer(request: AgentRequest): Promise<AgentAnswer>;
};

/** @param signal ends the tests that are running */
export function createRequests(
  context: AgentContext,
  { commands, cron, pauses }: { readonly commands: Commands; readonly cron: Cron; readonly pauses: Pauses },
  signal: AbortSignal,
): Requests {
  let tests = 0;

  async function makeKey(request: AgentRequestOf<"make_deploy_key">): Promise<AgentAnswer> {
    const { request_id, project_id, project_name } = request;
    const answer = { type: "deploy_key", request_id, project_id } as const;
    try {
      const { publicKey } = await deployKeyOf(context, { id: project_id, name: project_name });
      return { ...answer, public_key: publicKey, message: "" };
    } catch (error) {
      context.log(`${project_id}: the deploy key could not be created: ${messageOf(error)}`);
      return { ...answer, public_key: null, message: messageOf(error).slice(0, 1000).toWellFormed() };
    }
  }

  async function test(request: AgentRequestOf<"test_repository">): Promise<AgentAnswer> {
    const { request_id, project_id } = request;
    const answer = { type: "repository_tested", request_id, project_id } as const;
    if (tests >= MAX_TESTS) {
      const message = `the server runs ${MAX_TESTS} tests already: try again in a few seconds`;
      return { ...answer, result: { ok: false, code: "too_many_tests", message, tried: "" } };
    }
    tests += 1;
    try {
      return { ...answer, result: await testRepository(context, request, signal) };
    } catch (error) {
      return { ...answer, result: { ok: false, code: "failed", message: agentFailed(error), tried: "" } };
    } finally {
      tests -= 1;
    }
  }

  async function readProcesses({
    request_id,
    project_id,
  }: AgentRequestOf<"read_processes">): Promise<AgentAnswer> {
    const all = await reportProcesses(context, projectFolder(context.home, project_id), null);
    const processes = limitReports([{ processes: all }])[0]?.processes ?? [];
    return { type: "processes_read", request_id, project_id, processes };
  }

  /** Whether visitors reach the project through a part of Gantry's: the site server counts too. */
  const hasIngress = (id: ProjectId) => context.ingress.kind !== "none" || context.sites.urlOf(id) !== null;

  async function setMaintenance({
    request_id,
    project_id,
    maintenance,
  }: AgentRequestOf<"set_maintenance">): Promise<AgentAnswer> {
    const folder = projectFolder(context.home, project_id);
    const failure = await takeMaintenance(context.slots, folder, maintenance).then(
      () => null,
      (error: unknown) => `The server could not do it: ${messageOf(error)}`,
    );
    if (failure !== null) context.log(`${project_id}: its maintenance could not be changed: ${failure}`);
    const isUnseen = maintenance.on && (await readCurrent(folder)) !== null && !hasIngress(project_id);
    const problem = failure ?? (isUnseen ? `${NO_INGRESS} Visitors do not get the page.` : null);
    const sent = problem === null ? null : problem.slice(0, 1000).toWellFormed();
    return { type: "maintenance_set", request_id, project_id, problem: sent };
  }

  async function setPause(projectId: ProjectId, seconds: number): Promise<PauseResult> {
    if ((await readCurrent(projectFolder(context.home, projectId))) === null)
      return { ok: false, code: "not_live", message: "Nothing of the project is live on its server." };
    if (!hasIngress(projectId)) return { ok: false, code: "no_ingress", message: NO_INGRESS };
    try {
      await pauses.hold(projectId, seconds);
      return { ok: true };
    } catch (error) {
      const message = `The server could not do it: ${messageOf(error)}`.slice(0, 1000).toWellFormed();
      context.log(`${projectId}: its pause could not be changed: ${messageOf(error)}`);
      return { ok: false, code: "failed", message };
    }
  }

  async function readLines(request: AgentRequestOf<"read_output">): Promise<AgentAnswer> {
    const { request_id, project_id } = request;
    const lines = await readOutput(context, projectFolder(context.home, project_id), request).catch(
      (error: unknown) => {
        context.log(`${project_id}: its output could not be read: ${messageOf(error)}`);
        return [];
      },
    );
    return { type: "output_read", request_id, project_id, lines };
  }

  async function command(
    request: AgentRequestOf<"start_command" | "read_command" | "stop_command">,
  ): Promise<AgentAnswer> {
    const { request_id, project_id } = request;
    const answer = { type: "command_read", request_id, project_id } as const;
    try {
      return { ...answer, result: await commands.answer(request) };
    } catch (error) {
      return { ...answer, result: { ok: false, code: "failed", message: agentFailed(error) } };
    }
  }

  async function cronRun(
    request: AgentRequestOf<"run_cron" | "read_cron_run" | "stop_cron_run">,
  ): Promise<AgentAnswer> {
    const { request_id, project_id } = request;
    const answer = { type: "cron_run_read", request_id, project_id } as const;
    try {
      return { ...answer, result: await cron.answer(request) };
    } catch (error) {
      return { ...answer, result: { ok: false, code: "failed", message: agentFailed(error) } };
    }
  }

  function listCommands({ request_id, project_id }: AgentRequestOf<"list_commands">): AgentAnswer {
    const notes = listCommandNotes(projectFolder(context.home, project_id));
    return { type: "commands_listed", request_id, project_id, commands: [...notes] };
  }

  return {
    async answer(request) {
      switch (request.type) {
        case "make_deploy_key":
          return makeKey(request);
        case "test_repository":
          return test(request);
        case "read_processes":
          return readProcesses(request);
        case "set_maintenance":
          return setMaintenance(request);
        case "set_pause": {
          const { request_id, project_id } = request;
          const result = await setPause(project_id, request.seconds);
          return { type: "pause_set", request_id, project_id, result };
        }
        case "read_output":
          return readLines(request);
        case "start_command":
        case "read_command":
        case "stop_command":
          return command(request);
        case "list_commands":
          return Promise.resolve(listCommands(request));
        case "read_cron": {
          const { request_id, project_id, job } = request;
          const jobs = cron.report(project_id, job);
          return Promise.resolve({ type: "cron_read", request_id, project_id, jobs });
        }
        case "run_cron":
        case "read_cron_run":
        case "stop_cron_run":
          return cronRun(request);
      }
    },
  };
}

function agentFailed(error: unknown): string {
  return `the agent failed: ${messageOf(error)}`.slice(0, 2000).toWellFormed();
}
