import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { BranchName, CommitName, CommitSha, MAX_COMMIT_MESSAGE, Repository } from "#contract/git-names.ts";
import { CommandId, DeploymentId, ProjectId } from "#contract/ids.ts";
import { CommandReading, CommandStates, MAX_COMMAND_WAIT_MS } from "#contract/endpoints/commands/schemas.ts";
import { DomainLookups, MAX_NAMES } from "#contract/endpoints/domains/schemas.ts";
import { Failure } from "#contract/endpoints/deployments/schemas.ts";
import { CommitRule, Domain, stageSeconds } from "#contract/endpoints/projects/settings.ts";
import { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { CronJobReports, CronRunNumber, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import { PublicKey, RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { MAX_PAUSE_SECONDS, PauseResult } from "#contract/endpoints/traffic/pause.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { MAX_LAST_LINES, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import { InstanceName, ProcessName, ProcessReports } from "#contract/endpoints/processes/schemas.ts";
import { SealedToken } from "#contract/agent-order.ts";
import { CommandTimeout, ShellCommand } from "#contract/shell-command.ts";

/** What every request and every answer has. `request_id`: an answer has the id of its request. */
const about = { request_id: textUpTo(64), project_id: ProjectId };

/** The lines that a reader wants: of one process or instance, or of all; and how many of the last lines. */
export const outputFilter = {
  process: z.optional(ProcessName),
  instance: z.optional(InstanceName),
  lines: wholeBetween(0, MAX_LAST_LINES),
};

/** The commit of a deployment and its message, or why the server cannot deploy it. */
export const CommitResolution = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    commit_sha: CommitSha,
    commit_message: textUpTo(MAX_COMMIT_MESSAGE),
  }),
  z.strictObject({ ok: z.literal(false), failure: Failure }),
]);
export type CommitResolution = z.infer<typeof CommitResolution>;

const TOO_LONG = "The answer is longer than the server can send.";
const failedTooLong = { ok: false, code: "failed", message: TOO_LONG } as const;

/** @param shorten leaves out the long parts. Omitted: the schema allows no long values */
function answer<Schema extends z.ZodMiniObject>(
  schema: Schema,
  shorten: (message: z.infer<Schema>) => z.infer<Schema> = (message) => message,
) {
  return { schema, shorten };
}

/** An agent's answers, by their type. */
export const agentAnswers = {
  /** `public_key` is null if the key could not be created; `message` says why. */
  deploy_key: answer(
    z.strictObject({
      type: z.literal("deploy_key"),
      ...about,
      public_key: z.nullable(PublicKey),
      message: textUpTo(1000),
    }),
  ),
  repository_tested: answer(
    z.strictObject({ type: z.literal("repository_tested"), ...about, result: RepositoryTested }),
  ),
  domains_checked: answer(
    z.strictObject({ type: z.literal("domains_checked"), ...about, domains: DomainLookups }),
  ),
  /** `repository`: from the request. */
  commit_resolved: answer(
    z.strictObject({
      type: z.literal("commit_resolved"),
      ...about,
      deployment_id: DeploymentId,
      repository: Repository,
      result: CommitResolution,
    }),
  ),
  processes_read: answer(
    z.strictObject({ type: z.literal("processes_read"), ...about, processes: ProcessReports }),
    (one) => ({ ...one, processes: one.processes.map((process) => ({ ...process, instances: [] })) }),
  ),
  /** `problem`: why it could not be done, as a sentence; null: it is done. */
  maintenance_set: answer(
    z.strictObject({ type: z.literal("maintenance_set"), ...about, problem: z.nullable(textUpTo(1000)) }),
  ),
  pause_set: answer(z.strictObject({ type: z.literal("pause_set"), ...about, result: PauseResult })),
  output_read: answer(
    z.strictObject({
      type: z.literal("output_read"),
      ...about,
      lines: listUpTo(AppOutputLine, MAX_LAST_LINES),
    }),
    (one) => {
      const instances = [...new Set(one.lines.map(({ instance }) => instance))].slice(0, 100);
      return { ...one, lines: instances.map((instance) => ({ instance, message: `[gantry] ${TOO_LONG}` })) };
    },
  ),
  command_read: answer(
    z.strictObject({ type: z.literal("command_read"), ...about, result: CommandReading }),
    (one) => ({ ...one, result: failedTooLong }),
  ),
  commands_listed: answer(
    z.strictObject({ type: z.literal("commands_listed"), ...about, commands: CommandStates }),
    (one) => ({
      ...one,
      commands: one.commands.map(({ id, state }) => ({ id, state: { ...state, message: null } })),
    }),
  ),
  cron_read: answer(
    z.strictObject({ type: z.literal("cron_read"), ...about, jobs: CronJobReports }),
    (one) => ({ ...one, jobs: one.jobs.map((job) => ({ ...job, runs: [] })) }),
  ),
  cron_run_read: answer(
    z.strictObject({ type: z.literal("cron_run_read"), ...about, result: CronRunReading }),
    (one) => ({ ...one, result: failedTooLong }),
  ),
};

/**
 * How the control plane asks for something. `timeoutMs`: how long it waits for the answer, in addition to the `wait_ms`
 * of the request; null: nothing waits, and the request is sent again.
 */
type Exchange = {
  readonly request: z.ZodMiniObject;
  readonly answer: keyof typeof agentAnswers;
  readonly timeoutMs: number | null;
};

/** An agent may have to open variables and start a unit. */
const JOB_TIMEOUT_MS = 8_000;

/**
 * Requests of the control plane to an agent, over the link, by their type: the one place that describes them. An
 * agent names the types that it answers in its hello.
 */
export const agentRequests = {
  /** Creates the project's deploy key if it does not exist. This takes a few milliseconds. */
  make_deploy_key: {
    request: z.strictObject({ type: z.literal("make_deploy_key"), ...about, project_name: z.string() }),
    answer: "deploy_key",
    timeoutMs: 10_000,
  },
  /** Lists a branch of the repository, with the project's deploy key. */
  test_repository: {
    request: z.strictObject({
      type: z.literal("test_repository"),
      ...about,
      project_name: z.string(),
      repository: Repository,
      branch: BranchName,
      /** The project's sealed GANTRY_REPOSITORY_TOKEN, if the repository's address needs it. */
      token: z.optional(SealedToken),
    }),
    answer: "repository_tested",
    // The agent gives up after 10 s, and the dashboard after 20 s.
    timeoutMs: 15_000,
  },
  /** Looks up the addresses and certificates of a project's host names. */
  check_domains: {
    request: z.strictObject({
      type: z.literal("check_domains"),
      ...about,
      domains: listUpTo(Domain, MAX_NAMES),
    }),
    answer: "domains_checked",
    // The agent gives up after 5 s, after other checks that it makes. The dashboard waits for 20 s.
    timeoutMs: 15_000,
  },
  /**
   * Resolves what a queued deployment will deploy to a commit, so that a person can approve it: the branch or tag, or the
   * commit by its full or abbreviated hash. `timeout_seconds`: of a deployment's fetch.
   */
  resolve_commit: {
    request: z.strictObject({
      type: z.literal("resolve_commit"),
      ...about,
      project_name: z.string(),
      deployment_id: DeploymentId,
      source: z.strictObject({
        repository: Repository,
        branch: BranchName,
        commit: z.nullable(CommitName),
        commits: CommitRule,
        in_branch: z.boolean(),
      }),
      timeout_seconds: stageSeconds,
      /** As in `test_repository`. */
      token: z.optional(SealedToken),
    }),
    answer: "commit_resolved",
    timeoutMs: null,
  },
  /** Asks for the present state of the project's instances. A reader gets the last report instead of a late answer. */
  read_processes: {
    request: z.strictObject({ type: z.literal("read_processes"), ...about }),
    answer: "processes_read",
    timeoutMs: 5_000,
  },
  /** Turns a project's maintenance on or off. The agent replaces two small files. */
  set_maintenance: {
    request: z.strictObject({ type: z.literal("set_maintenance"), ...about, maintenance: MaintenanceState }),
    answer: "maintenance_set",
    timeoutMs: 5_000,
  },
  /** Holds the requests to a project for this long from now on; 0 ends its pause. The agent writes some small files. */
  set_pause: {
    request: z.strictObject({
      type: z.literal("set_pause"),
      ...about,
      seconds: wholeBetween(0, MAX_PAUSE_SECONDS),
    }),
    answer: "pause_set",
    timeoutMs: 5_000,
  },
  /** Reads the last lines that the project's instances printed. */
  read_output: {
    request: z.strictObject({
      type: z.literal("read_output"),
      ...about,
      ...outputFilter,
      /** Reads the instances that have ended, instead of the running ones. */
      ended: z.boolean(),
    }),
    answer: "output_read",
    timeoutMs: 10_000,
  },
  /** Starts a one-off command in the live release, unless the agent knows its id: then it only reads it. */
  start_command: {
    request: z.strictObject({
      type: z.literal("start_command"),
      ...about,
      command_id: CommandId,
      command: ShellCommand,
      timeout_seconds: CommandTimeout,
    }),
    answer: "command_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Reads a command and its output from this byte on. Waits this long for new output or the command's end. */
  read_command: {
    request: z.strictObject({
      type: z.literal("read_command"),
      ...about,
      command_id: CommandId,
      offset: wholeFrom(0),
      wait_ms: wholeBetween(0, MAX_COMMAND_WAIT_MS),
    }),
    answer: "command_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Stops a command: SIGTERM, and after the agent's grace period SIGKILL, to all of its processes. */
  stop_command: {
    request: z.strictObject({ type: z.literal("stop_command"), ...about, command_id: CommandId }),
    answer: "command_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Asks for the state of all commands that the server keeps. The list is shown without an answer too. */
  list_commands: {
    request: z.strictObject({ type: z.literal("list_commands"), ...about }),
    answer: "commands_listed",
    timeoutMs: 3_000,
  },
  /** Asks for the cron jobs of the live deployment and their latest runs, or for one job and all its runs. */
  read_cron: {
    request: z.strictObject({ type: z.literal("read_cron"), ...about, job: z.nullable(CronName) }),
    answer: "cron_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Runs a cron job now. With the same `key` it is run once. */
  run_cron: {
    request: z.strictObject({ type: z.literal("run_cron"), ...about, job: CronName, key: CommandId }),
    answer: "cron_run_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Reads a run of a cron job and its output, as `read_command`. */
  read_cron_run: {
    request: z.strictObject({
      type: z.literal("read_cron_run"),
      ...about,
      job: CronName,
      run: CronRunNumber,
      offset: wholeFrom(0),
      wait_ms: wholeBetween(0, MAX_COMMAND_WAIT_MS),
    }),
    answer: "cron_run_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Stops a run of a cron job, as `stop_command`. */
  stop_cron_run: {
    request: z.strictObject({
      type: z.literal("stop_cron_run"),
      ...about,
      job: CronName,
      run: CronRunNumber,
    }),
    answer: "cron_run_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
} as const satisfies Readonly<Record<string, Exchange>>;

type Requests = typeof agentRequests;
type Answers = typeof agentAnswers;
export type AgentRequestType = keyof Requests;
type AgentAnswerType = keyof Answers;

/** A request of one of these types. */
export type AgentRequestOf<Type extends AgentRequestType> = {
  [Each in Type]: z.infer<Requests[Each]["request"]> & { readonly type: Each };
}[Type];
export type AgentRequest = AgentRequestOf<AgentRequestType>;

type AgentAnswerOf<Type extends AgentAnswerType> = {
  [Each in Type]: z.infer<Answers[Each]["schema"]> & { readonly type: Each };
}[Type];
export type AgentAnswer = AgentAnswerOf<AgentAnswerType>;
/** The answer to a request of one of these types. */
export type AnswerTo<Type extends AgentRequestType> = Extract<
  AgentAnswer,
  { readonly type: Requests[Type]["answer"] }
>;

export const requestTypes: readonly string[] = Object.keys(agentRequests);
export const requestSchemas = Object.values(agentRequests).map(({ request }) => request);
export const answerSchemas = Object.values(agentAnswers).map(({ schema }) => schema);

export function isAgentRequest(message: { readonly type: string }): message is AgentRequest {
  return Object.hasOwn(agentRequests, message.type);
}

export function isAgentAnswer(message: { readonly type: string }): message is AgentAnswer {
  return Object.hasOwn(agentAnswers, message.type);
}

/** Whether an answer is of the type that a request asks for. */
export function isAnswerTo<Type extends AgentRequestType>(
  type: Type,
  message: AgentAnswer,
): message is AnswerTo<Type> {
  return message.type === agentRequests[type].answer;
}

/** TypeScript knows by this type that an answer fits the shortening of its type. */
type Shortenings = {
  readonly [Type in AgentAnswerType]: { readonly shorten: (message: AgentAnswerOf<Type>) => AgentAnswer };
};

/**
 * What is left of an answer that is longer than the link allows. An answer stays an answer, so that its request does not
 * wait until its timeout.
 */
export function shortenAnswer<Type extends AgentAnswerType>(message: AgentAnswerOf<Type>): AgentAnswer {
  const answers: Shortenings = agentAnswers;
  return answers[message.type].shorten(message);
}
