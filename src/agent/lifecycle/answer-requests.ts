import { readOutput } from "#agent/apps/output/read-output.ts";
import { listCommandNotes } from "#agent/jobs/command-notes.ts";
import type { Commands } from "#agent/jobs/commands.ts";
import type { Cron } from "#agent/jobs/cron/cron.ts";
import { limitParallel } from "#agent/lifecycle/limit-parallel.ts";
import { reportProcesses } from "#agent/apps/report-processes.ts";
import { limitReports } from "#agent/report/project-report.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { Pauses } from "#agent/ingress/pauses.ts";
import { setDrain, setFleet, setMaintenance, setPause } from "#agent/lifecycle/answer-traffic.ts";
import { checkDomains } from "#agent/lifecycle/check-domains.ts";
import { resolveCommit } from "#agent/lifecycle/resolve-commit.ts";
import { testRepository } from "#agent/lifecycle/test-repository.ts";
import { deployKeyOf } from "#agent/git/repository-access.ts";
import type { AgentAnswer } from "#contract/agent-answers.ts";
import type {
  AgentRequest,
  AgentRequestOf,
  AgentRequestType,
  AnswerTo,
  ProjectRequest,
} from "#contract/agent-requests.ts";
import type { CommandReading } from "#contract/endpoints/commands/schemas.ts";
import type { CronRunReading } from "#contract/endpoints/cron/schemas.ts";
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

/** A function for each type of request. One without an answer now returns null. */
type Handlers = {
  readonly [Type in AgentRequestType]: (request: AgentRequestOf<Type>) => Promise<AnswerTo<Type> | null>;
};

function handle<Type extends AgentRequestType>(
  handlers: Handlers,
  request: AgentRequestOf<Type>,
): Promise<AgentAnswer | null> {
  return handlers[request.type](request);
}

/** @param signal ends the tests that are running */
export function createRequests(
  context: AgentContext,
  { commands, cron, pauses }: { readonly commands: Commands; readonly cron: Cron; readonly pauses: Pauses },
  signal: AbortSignal,
): Requests {
  let tests = 0;

  async function test(request: AgentRequestOf<"test_repository">): Promise<AnswerTo<"test_repository">> {
    const answer = answerTo("repository_tested", request);
    if (tests >= MAX_TESTS) {
      const message = `the server runs ${MAX_TESTS} tests already: try again in a few seconds`;
      return { ...answer, result: { ok: false, code: "too_many_tests", message, tried: "" } };
    }
    tests += 1;
    const result = await orFailed(() => testRepository(context, request, signal));
    tests -= 1;
    return { ...answer, result: { tried: "", ...result } };
  }

  const resolving = new Map<string, Promise<AnswerTo<"resolve_commit"> | null>>();
  /** The last request of each project. A project has one commit at a time, because its host may never answer. */
  const latest = new Map<ProjectId, string>();
  const inParallel = limitParallel(MAX_RESOLVING);

  /** A request that arrives again gets the answer to the first one. */
  async function resolve(
    request: AgentRequestOf<"resolve_commit">,
  ): Promise<AnswerTo<"resolve_commit"> | null> {
    const { request_id, project_id } = request;
    const before = resolving.get(request_id);
    if (before !== undefined || resolving.size >= MAX_UNRESOLVED) return before ?? null;
    const answered = resolveAfter(resolving.get(latest.get(project_id) ?? ""), request);
    resolving.set(request_id, answered);
    latest.set(project_id, request_id);
    return answered;
  }

  async function resolveAfter(
    earlier: Promise<unknown> | undefined,
    request: AgentRequestOf<"resolve_commit">,
  ): Promise<AnswerTo<"resolve_commit"> | null> {
    const { request_id, project_id, deployment_id, source } = request;
    await earlier;
    const result = await inParallel(() => resolveCommit(context, request, signal));
    resolving.delete(request_id);
    if (latest.get(project_id) === request_id) latest.delete(project_id);
    if (result === null) return null;
    const { repository } = source;
    return { ...answerTo("commit_resolved", request), deployment_id, repository, result };
  }

  const checks = new Map<string, Promise<readonly DomainLookup[]>>();
  const checkInParallel = limitParallel(MAX_CHECKS);

  async function check(request: AgentRequestOf<"check_domains">): Promise<AnswerTo<"check_domains"> | null> {
    const { project_id, domains } = request;
    const key = [project_id, ...domains].join(" ");
    const running = checks.get(key) ?? checkInParallel(() => checkDomains(context, domains, signal));
    checks.set(key, running);
    try {
      return { ...answerTo("domains_checked", request), domains: [...(await running)] };
    } catch (error) {
      context.log(`${project_id}: its host names could not be checked: ${messageOf(error)}`);
      return null;
    } finally {
      if (checks.get(key) === running) checks.delete(key);
    }
  }

  const commandRead = async <
    Request extends AgentRequestOf<"start_command" | "read_command" | "stop_command">,
  >(
    request: Request,
    act: (request: Request) => Promise<CommandReading>,
  ) => ({ ...answerTo("command_read", request), result: await orFailed(() => act(request)) });

  const cronRunRead = async <Request extends AgentRequestOf<"run_cron" | "read_cron_run" | "stop_cron_run">>(
    request: Request,
    act: (request: Request) => Promise<CronRunReading>,
  ) => ({ ...answerTo("cron_run_read", request), result: await orFailed(() => act(request)) });

  const handlers: Handlers = {
    make_deploy_key: (request) => makeKey(context, request),
    test_repository: test,
    check_domains: check,
    resolve_commit: resolve,
    read_processes: (request) => readProcesses(context, request),
    set_maintenance: (request) => setMaintenance(context, request),
    set_drain: (request) => setDrain(context, request),
    set_fleet: (request) => setFleet(context, request),
    set_pause: (request) => setPause(context, pauses, request),
    read_output: (request) => readLines(context, request),
    start_command: (request) => commandRead(request, commands.start),
    read_command: (request) => commandRead(request, commands.read),
    stop_command: (request) => commandRead(request, commands.stop),
    async list_commands(request) {
      const notes = listCommandNotes(projectFolder(context.home, request.project_id));
      return { ...answerTo("commands_listed", request), commands: [...notes] };
    },
    async read_cron(request) {
      return { ...answerTo("cron_read", request), jobs: cron.report(request.project_id, request.job) };
    },
    run_cron: (request) => cronRunRead(request, cron.run),
    read_cron_run: (request) => cronRunRead(request, cron.read),
    stop_cron_run: (request) => cronRunRead(request, cron.stop),
  };
  return { answer: (request) => handle<AgentRequestType>(handlers, request) };
}

/** The fields that an answer has in any case. */
function answerTo<Type extends AgentAnswer["type"]>(
  type: Type,
  { request_id, project_id }: Pick<ProjectRequest, "request_id" | "project_id">,
) {
  return { type, request_id, project_id };
}

async function makeKey(
  context: AgentContext,
  request: AgentRequestOf<"make_deploy_key">,
): Promise<AnswerTo<"make_deploy_key">> {
  const { project_id, project_name } = request;
  const answer = answerTo("deploy_key", request);
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
  request: AgentRequestOf<"read_processes">,
): Promise<AnswerTo<"read_processes">> {
  const all = await reportProcesses(context, projectFolder(context.home, request.project_id), null);
  const processes = limitReports([{ processes: all }])[0]?.processes ?? [];
  return { ...answerTo("processes_read", request), processes };
}

async function readLines(
  context: AgentContext,
  request: AgentRequestOf<"read_output">,
): Promise<AnswerTo<"read_output">> {
  const { project_id } = request;
  const lines = await readOutput(context, projectFolder(context.home, project_id), request).catch(
    (error: unknown) => {
      context.log(`${project_id}: its output could not be read: ${messageOf(error)}`);
      return [];
    },
  );
  return { ...answerTo("output_read", request), lines };
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
