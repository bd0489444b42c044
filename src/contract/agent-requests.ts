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

/** Identifies a request over the link. Its answer has the same. */
const RequestId = textUpTo(64);

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

/**
 * Requests of the control plane to an agent, over the link. Only an agent whose hello has `deploy_keys` answers them, with
 * the same `request_id`.
 */
export const agentRequests = [
  /** Creates the project's deploy key if it does not exist. The answer is `deploy_key`. */
  z.strictObject({
    type: z.literal("make_deploy_key"),
    request_id: RequestId,
    project_id: ProjectId,
    project_name: z.string(),
  }),
  /** Lists a branch of the repository, with the project's deploy key. The answer is `repository_tested`. */
  z.strictObject({
    type: z.literal("test_repository"),
    request_id: RequestId,
    project_id: ProjectId,
    project_name: z.string(),
    repository: Repository,
    branch: BranchName,
    /** The project's sealed GANTRY_REPOSITORY_TOKEN, if the repository's address needs it. */
    token: z.optional(SealedToken),
  }),
  /** Looks up the addresses and certificates of a project's host names. The answer is `domains_checked`. */
  z.strictObject({
    type: z.literal("check_domains"),
    request_id: RequestId,
    project_id: ProjectId,
    domains: listUpTo(Domain, MAX_NAMES),
  }),
  /**
   * Resolves what a queued deployment will deploy to a commit, so that a person can approve it: the branch or tag, or the
   * commit by its full or abbreviated hash. `timeout_seconds`: of a deployment's fetch. The answer is `commit_resolved`.
   */
  z.strictObject({
    type: z.literal("resolve_commit"),
    request_id: RequestId,
    project_id: ProjectId,
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
  /** Asks for the present state of the project's instances. The answer is `processes_read`. */
  z.strictObject({ type: z.literal("read_processes"), request_id: RequestId, project_id: ProjectId }),
  /** Turns a project's maintenance on or off. The answer is `maintenance_set`. */
  z.strictObject({
    type: z.literal("set_maintenance"),
    request_id: RequestId,
    project_id: ProjectId,
    maintenance: MaintenanceState,
  }),
  /** Holds the requests to a project for this long from now on; 0 ends its pause. The answer is `pause_set`. */
  z.strictObject({
    type: z.literal("set_pause"),
    request_id: RequestId,
    project_id: ProjectId,
    seconds: wholeBetween(0, MAX_PAUSE_SECONDS),
  }),
  /** Reads the last lines that the project's instances printed. The answer is `output_read`. */
  z.strictObject({
    type: z.literal("read_output"),
    request_id: RequestId,
    project_id: ProjectId,
    ...outputFilter,
    /** Reads the instances that have ended. An older agent reads those that run. */
    ended: z.optional(z.boolean()),
  }),
  // One-off commands. The answer to each of the first three is `command_read`.
  /** Starts a command in the live release, unless the agent knows its id: then it only reads it. */
  z.strictObject({
    type: z.literal("start_command"),
    request_id: RequestId,
    project_id: ProjectId,
    command_id: CommandId,
    command: ShellCommand,
    timeout_seconds: CommandTimeout,
  }),
  /** Reads a command and its output from this byte on. Waits this long for new output or the command's end. */
  z.strictObject({
    type: z.literal("read_command"),
    request_id: RequestId,
    project_id: ProjectId,
    command_id: CommandId,
    offset: wholeFrom(0),
    wait_ms: wholeBetween(0, MAX_COMMAND_WAIT_MS),
  }),
  /** Stops a command: SIGTERM, and after the agent's grace period SIGKILL, to all of its processes. */
  z.strictObject({
    type: z.literal("stop_command"),
    request_id: RequestId,
    project_id: ProjectId,
    command_id: CommandId,
  }),
  /** Asks for the state of all commands that the server keeps. The answer is `commands_listed`. */
  z.strictObject({ type: z.literal("list_commands"), request_id: RequestId, project_id: ProjectId }),
  // Cron jobs of the live deployment.
  /** Asks for the jobs and their latest runs, or for one job and all its runs. The answer is `cron_read`. */
  z.strictObject({
    type: z.literal("read_cron"),
    request_id: RequestId,
    project_id: ProjectId,
    job: z.nullable(CronName),
  }),
  // The answer to each of these is `cron_run_read`.
  /** Runs a job now. With the same `key` it is run once. */
  z.strictObject({
    type: z.literal("run_cron"),
    request_id: RequestId,
    project_id: ProjectId,
    job: CronName,
    key: CommandId,
  }),
  /** Reads a run of a job and its output, as `read_command`. */
  z.strictObject({
    type: z.literal("read_cron_run"),
    request_id: RequestId,
    project_id: ProjectId,
    job: CronName,
    run: CronRunNumber,
    offset: wholeFrom(0),
    wait_ms: wholeBetween(0, MAX_COMMAND_WAIT_MS),
  }),
  /** Stops a run of a job, as `stop_command`. */
  z.strictObject({
    type: z.literal("stop_cron_run"),
    request_id: RequestId,
    project_id: ProjectId,
    job: CronName,
    run: CronRunNumber,
  }),
] as const;
export type AgentRequest = z.infer<(typeof agentRequests)[number]>;
export type AgentRequestOf<Type extends AgentRequest["type"]> = Extract<AgentRequest, { type: Type }>;

/** An agent's answers to these requests. */
export const agentAnswers = [
  /** The answer to `make_deploy_key`. `public_key` is null if the key could not be created; `message` says why. */
  z.strictObject({
    type: z.literal("deploy_key"),
    request_id: RequestId,
    project_id: ProjectId,
    public_key: z.nullable(PublicKey),
    message: textUpTo(1000),
  }),
  /** The answer to `test_repository`. */
  z.strictObject({
    type: z.literal("repository_tested"),
    request_id: RequestId,
    project_id: ProjectId,
    result: RepositoryTested,
  }),
  /** The answer to `check_domains`. */
  z.strictObject({
    type: z.literal("domains_checked"),
    request_id: RequestId,
    project_id: ProjectId,
    domains: DomainLookups,
  }),
  /** The answer to `resolve_commit`. `repository`: from the request. */
  z.strictObject({
    type: z.literal("commit_resolved"),
    request_id: RequestId,
    project_id: ProjectId,
    deployment_id: DeploymentId,
    repository: Repository,
    result: CommitResolution,
  }),
  /** The answer to `read_processes`. */
  z.strictObject({
    type: z.literal("processes_read"),
    request_id: RequestId,
    project_id: ProjectId,
    processes: ProcessReports,
  }),
  /** The answer to `set_maintenance`. `problem`: why it could not be done, as a sentence; null: it is done. */
  z.strictObject({
    type: z.literal("maintenance_set"),
    request_id: RequestId,
    project_id: ProjectId,
    problem: z.nullable(textUpTo(1000)),
  }),
  /** The answer to `set_pause`. */
  z.strictObject({
    type: z.literal("pause_set"),
    request_id: RequestId,
    project_id: ProjectId,
    result: PauseResult,
  }),
  /** The answer to `read_output`. */
  z.strictObject({
    type: z.literal("output_read"),
    request_id: RequestId,
    project_id: ProjectId,
    lines: listUpTo(AppOutputLine, MAX_LAST_LINES),
  }),
  /** The answer to `start_command`, `read_command` and `stop_command`. */
  z.strictObject({
    type: z.literal("command_read"),
    request_id: RequestId,
    project_id: ProjectId,
    result: CommandReading,
  }),
  /** The answer to `list_commands`. */
  z.strictObject({
    type: z.literal("commands_listed"),
    request_id: RequestId,
    project_id: ProjectId,
    commands: CommandStates,
  }),
  /** The answer to `read_cron`. */
  z.strictObject({
    type: z.literal("cron_read"),
    request_id: RequestId,
    project_id: ProjectId,
    jobs: CronJobReports,
  }),
  /** The answer to `run_cron`, `read_cron_run` and `stop_cron_run`. */
  z.strictObject({
    type: z.literal("cron_run_read"),
    request_id: RequestId,
    project_id: ProjectId,
    result: CronRunReading,
  }),
] as const;
export type AgentAnswer = z.infer<(typeof agentAnswers)[number]>;
