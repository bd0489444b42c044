import * as z from "zod/mini";

import { listUpTo, wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { BranchName, CommitName, Repository } from "#contract/git-names.ts";
import { CommandId, DeploymentId } from "#contract/ids.ts";
import { MAX_COMMAND_WAIT_MS } from "#contract/endpoints/commands/schemas.ts";
import { MAX_NAMES } from "#contract/endpoints/domains/schemas.ts";
import { CommitRule, Domain, stageSeconds } from "#contract/endpoints/projects/settings.ts";
import { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { CronRunNumber } from "#contract/endpoints/cron/schemas.ts";
import { DrainState } from "#contract/endpoints/servers/drain.ts";
import { MAX_PAUSE_SECONDS } from "#contract/endpoints/traffic/pause.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { MAX_LAST_LINES } from "#contract/endpoints/output/schemas.ts";
import { InstanceName, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { SealedToken } from "#contract/agent-order.ts";
import { CommandTimeout, ShellCommand } from "#contract/shell-command.ts";
import { FleetState } from "#contract/agent-fleet.ts";
import {
  exchangeFields,
  serverExchangeFields,
  type AgentAnswer,
  type AgentAnswerType,
} from "#contract/agent-answers.ts";

/** The lines that a reader wants: of one process or instance, or of all; and how many of the last lines. */
export const outputFilter = {
  process: z.optional(ProcessName),
  instance: z.optional(InstanceName),
  lines: wholeBetween(0, MAX_LAST_LINES),
};

/**
 * How the control plane asks for something. `timeoutMs`: how long it waits for the answer, in addition to the `wait_ms`
 * of the request; null: nothing waits, and the request is sent again.
 */
type Exchange = {
  readonly request: z.ZodMiniObject;
  readonly answer: AgentAnswerType;
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
    request: z.strictObject({
      type: z.literal("make_deploy_key"),
      ...exchangeFields,
      project_name: z.string(),
    }),
    answer: "deploy_key",
    timeoutMs: 10_000,
  },
  /** Lists a branch of the repository, with the project's deploy key. */
  test_repository: {
    request: z.strictObject({
      type: z.literal("test_repository"),
      ...exchangeFields,
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
      ...exchangeFields,
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
      ...exchangeFields,
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
    request: z.strictObject({ type: z.literal("read_processes"), ...exchangeFields }),
    answer: "processes_read",
    timeoutMs: 5_000,
  },
  /** Turns a project's maintenance on or off. The agent replaces two small files. */
  set_maintenance: {
    request: z.strictObject({
      type: z.literal("set_maintenance"),
      ...exchangeFields,
      maintenance: MaintenanceState,
    }),
    answer: "maintenance_set",
    timeoutMs: 5_000,
  },
  /** Holds the requests to a project for this long from now on; 0 ends its pause. The agent writes some small files. */
  set_pause: {
    request: z.strictObject({
      type: z.literal("set_pause"),
      ...exchangeFields,
      seconds: wholeBetween(0, MAX_PAUSE_SECONDS),
    }),
    answer: "pause_set",
    timeoutMs: 5_000,
  },
  /** Drains the server, or ends that. The agent replaces two small files. */
  set_drain: {
    request: z.strictObject({ type: z.literal("set_drain"), ...serverExchangeFields, drain: DrainState }),
    answer: "drain_set",
    timeoutMs: 5_000,
  },
  /**
   * What the server must know to serve projects together with others. The agent stores it and configures its ingress, and
   * answers when that is done or has failed. Sent at each hello, and when it has changed.
   */
  set_fleet: {
    request: z.strictObject({ type: z.literal("set_fleet"), ...serverExchangeFields, fleet: FleetState }),
    answer: "fleet_set",
    timeoutMs: null,
  },
  /** Reads the last lines that the project's instances printed. */
  read_output: {
    request: z.strictObject({
      type: z.literal("read_output"),
      ...exchangeFields,
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
      ...exchangeFields,
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
      ...exchangeFields,
      command_id: CommandId,
      offset: wholeFrom(0),
      wait_ms: wholeBetween(0, MAX_COMMAND_WAIT_MS),
    }),
    answer: "command_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Stops a command: SIGTERM, and after the agent's grace period SIGKILL, to all of its processes. */
  stop_command: {
    request: z.strictObject({ type: z.literal("stop_command"), ...exchangeFields, command_id: CommandId }),
    answer: "command_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Asks for the state of all commands that the server keeps. The list is shown without an answer too. */
  list_commands: {
    request: z.strictObject({ type: z.literal("list_commands"), ...exchangeFields }),
    answer: "commands_listed",
    timeoutMs: 3_000,
  },
  /** Asks for the cron jobs of the live deployment and their latest runs, or for one job and all its runs. */
  read_cron: {
    request: z.strictObject({ type: z.literal("read_cron"), ...exchangeFields, job: z.nullable(CronName) }),
    answer: "cron_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Runs a cron job now. With the same `key` it is run once. */
  run_cron: {
    request: z.strictObject({
      type: z.literal("run_cron"),
      ...exchangeFields,
      job: CronName,
      key: CommandId,
    }),
    answer: "cron_run_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
  /** Reads a run of a cron job and its output, as `read_command`. */
  read_cron_run: {
    request: z.strictObject({
      type: z.literal("read_cron_run"),
      ...exchangeFields,
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
      ...exchangeFields,
      job: CronName,
      run: CronRunNumber,
    }),
    answer: "cron_run_read",
    timeoutMs: JOB_TIMEOUT_MS,
  },
} as const satisfies Readonly<Record<string, Exchange>>;

type Requests = typeof agentRequests;
export type AgentRequestType = keyof Requests;

/** A request of one of these types. */
export type AgentRequestOf<Type extends AgentRequestType> = {
  [Each in Type]: z.infer<Requests[Each]["request"]> & { readonly type: Each };
}[Type];
export type AgentRequest = AgentRequestOf<AgentRequestType>;

/** A request about a project. */
export type ProjectRequest = Extract<AgentRequest, { readonly project_id: unknown }>;

/** The answer to a request of one of these types. */
export type AnswerTo<Type extends AgentRequestType> = Extract<
  AgentAnswer,
  { readonly type: Requests[Type]["answer"] }
>;

export const requestTypes: readonly string[] = Object.keys(agentRequests);
export const requestSchemas = Object.values(agentRequests).map(({ request }) => request);

export function isAgentRequest(message: { readonly type: string }): message is AgentRequest {
  return Object.hasOwn(agentRequests, message.type);
}

/** Whether an answer is of the type that a request asks for. */
export function isAnswerTo<Type extends AgentRequestType>(
  type: Type,
  message: AgentAnswer,
): message is AnswerTo<Type> {
  return message.type === agentRequests[type].answer;
}
