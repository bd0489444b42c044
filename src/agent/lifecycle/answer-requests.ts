import { readOutput } from "#agent/apps/output/read-output.ts";
import { listCommandNotes } from "#agent/jobs/command-notes.ts";
import type { Commands } from "#agent/jobs/commands.ts";
import type { Cron } from "#agent/jobs/cron/cron.ts";
import { limitParallel } from "#agent/lib/limit-parallel.ts";
import { reportProcesses } from "#agent/apps/report-processes.ts";
import { limitReports } from "#agent/report/project-report.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { Pauses } from "#agent/ingress/pauses.ts";
import { setMaintenance, setPause } from "#agent/lifecycle/answer-traffic.ts";
import { checkDomains } from "#agent/lifecycle/check-domains.ts";
import { resolveCommit } from "#agent/lifecycle/resolve-commit.ts";
import { testRepository } from "#agent/lifecycle/test-repository.ts";
import { deployKeyOf } from "#agent/ssh/repository-access.ts";
import type { AgentAnswer, AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { DomainLookup } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** More tests at once are refused: each starts git, and a control plane must not overload the server with them. */
const MAX_TESTS = 4;

/** As for tests. More commits wait, and even more are not resolved: the control plane asks again. */
const MAX_RESOLVING = 4;
const MAX_UNRESOLVED = 100;

/** As for tests. More checks of host names wait; a project's checks at the same time are one. */
const MAX_CHECKS = 4;

/** Answers the control plane's requests. Nothing about them is stored: if an answer is lost, it asks again. */
export type Requests = {
  /** Never throws. @returns null if there is no answer now: the control plane asks again */
  answer(request: AgentRequest): Promise<AgentAnswer | null>;
};

/** @param signal ends the tests that are running */
export function createRequests(
  context: AgentContext,
  { commands, cron, pauses }: { readonly commands: Commands; readonly cron: Cron; readonly pauses: Pauses },
  signal: AbortSignal,
): Requests {
  let tests = 0;

  async function test(request: AgentRequestOf<"test_repository">): Promise<AgentAnswer> {
    const { request_id, project_id } = request;
    const answer = { type: "repository_tested", request_id, project_id } as const;
    if (tests >= MAX_TESTS) {
      const message = `the server runs ${MAX_TESTS} tests already: try again in a few seconds`;
      return { ...answer, result: { ok: false, code: "too_many_tests", message, tried: "" } };
    }
    tests += 1;
    const result = await orFailed(() => testRepository(context, request, signal));
    tests -= 1;
    return { ...answer, result: { tried: "", ...result } };
  }

  const resolving = new Map<string, Promise<AgentAnswer | null>>();
  /** The last request of each project. A project has one commit at a time, because its host may never answer. */
  const latest = new Map<ProjectId, string>();
  const inParallel = limitParallel(MAX_RESOLVING);

  /** A request that arrives again gets the answer to the first one. */
  async function resolve(request: AgentRequestOf<"resolve_commit">): Promise<AgentAnswer | null> {
    const { request_id, project_id } = request;
    const before = resolving.get(request_id);
    if (before !== undefined || resolving.size >= MAX_UNRESOLVED) return before ?? null;
    const answered = resolveAfter(resolving.get(latest.get(project_id) ?? ""), request);
    resolving.set(request_id, answered);
    latest.set(project_id, request_id);
    return answered;
  }

  async function resolveAfter(
    earlier: Promise<AgentAnswer | null> | undefined,
    request: AgentRequestOf<"resolve_commit">,
  ): Promise<AgentAnswer | null> {
    const { request_id, project_id, deployment_id, source } = request;
    await earlier;
    const result = await inParallel(() => resolveCommit(context, request, signal));
    resolving.delete(request_id);
    if (latest.get(project_id) === request_id) latest.delete(project_id);
    if (result === null) return null;
    const { repository } = source;
    return { type: "commit_resolved", request_id, project_id, deployment_id, repository, result };
  }

  const checks = new Map<string, Promise<readonly DomainLookup[]>>();
  const checkInParallel = limitParallel(MAX_CHECKS);

  async function check(request: AgentRequestOf<"check_domains">): Promise<AgentAnswer | null> {
    const { request_id, project_id, domains } = request;
    const key = [project_id, ...domains].join(" ");
    const running = checks.get(key) ?? checkInParallel(() => checkDomains(context, domains, signal));
    checks.set(key, running);
    try {
      return { type: "domains_checked", request_id, project_id, domains: [...(await running)] };
    } catch (error) {
      context.log(`${project_id}: its host names could not be checked: ${messageOf(error)}`);
      return null;
    } finally {
      if (checks.get(key) === running) checks.delete(key);
    }
  }

  return {
    async answer(request) {
      const { request_id, project_id } = request;
      switch (request.type) {
        case "make_deploy_key":
          return makeKey(context, request);
        case "test_repository":
          return test(request);
        case "check_domains":
          return check(request);
        case "resolve_commit":
          return resolve(request);
        case "read_processes":
          return readProcesses(context, request);
        case "set_maintenance":
          return setMaintenance(context, request);
        case "set_pause":
          return setPause(context, pauses, request);
        case "read_output":
          return readLines(context, request);
        case "start_command":
        case "read_command":
        case "stop_command": {
          const result = await orFailed(() => commands.answer(request));
          return { type: "command_read", request_id, project_id, result };
        }
        case "list_commands": {
          const notes = listCommandNotes(projectFolder(context.home, project_id));
          return { type: "commands_listed", request_id, project_id, commands: [...notes] };
        }
        case "read_cron": {
          const jobs = cron.report(project_id, request.job);
          return { type: "cron_read", request_id, project_id, jobs };
        }
        case "run_cron":
        case "read_cron_run":
        case "stop_cron_run": {
          const result = await orFailed(() => cron.answer(request));
          return { type: "cron_run_read", request_id, project_id, result };
        }
      }
    },
  };
}

async function makeKey(
  context: AgentContext,
  request: AgentRequestOf<"make_deploy_key">,
): Promise<AgentAnswer> {
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

async function readProcesses(
  context: AgentContext,
  { request_id, project_id }: AgentRequestOf<"read_processes">,
): Promise<AgentAnswer> {
  const all = await reportProcesses(context, projectFolder(context.home, project_id), null);
  const processes = limitReports([{ processes: all }])[0]?.processes ?? [];
  return { type: "processes_read", request_id, project_id, processes };
}

async function readLines(
  context: AgentContext,
  request: AgentRequestOf<"read_output">,
): Promise<AgentAnswer> {
  const { request_id, project_id } = request;
  const lines = await readOutput(context, projectFolder(context.home, project_id), request).catch(
    (error: unknown) => {
      context.log(`${project_id}: its output could not be read: ${messageOf(error)}`);
      return [];
    },
  );
  return { type: "output_read", request_id, project_id, lines };
}

type Failed = { readonly ok: false; readonly code: "failed"; readonly message: string };

/** Never throws: an error becomes an answer. */
async function orFailed<Result>(act: () => Promise<Result>): Promise<Result | Failed> {
  try {
    return await act();
  } catch (error) {
    const message = `the agent failed: ${messageOf(error)}`.slice(0, 2000).toWellFormed();
    return { ok: false, code: "failed", message };
  }
}
