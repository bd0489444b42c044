import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { BranchName, Repository } from "#contract/git-names.ts";
import { CommandId, DeploymentId, ProjectId, RunId, ServerId } from "#contract/ids.ts";
import { CommandReading, CommandStates, MAX_COMMAND_WAIT_MS } from "#contract/endpoints/commands/schemas.ts";
import { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { CronJobReports, CronRunNumber, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import { PublicKey, RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { Disk, IsolationLevel, MAX_REPORTED_TOOLS, ToolReport } from "#contract/endpoints/servers/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { MAX_PAUSE_SECONDS, PauseResult } from "#contract/endpoints/traffic/pause.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { FollowedLine, MAX_LAST_LINES, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import { InstanceName, ProcessName, ProcessReports } from "#contract/endpoints/processes/schemas.ts";
import { ReleaseVersion, RunOrder, SealedToken } from "#contract/agent-order.ts";
import { CommandTimeout, ShellCommand } from "#contract/shell-command.ts";

/**
 * Raised for changes that an older agent or control plane must not ignore. Both sides send their version first. Within a
 * version, fields and link messages can be added: a receiver ignores those that it does not know (`parseKnown`).
 */
export const PROTOCOL_VERSION = 2;

/** The agent sends `ping` to keep the link open. The control plane answers `pong` without waking the Durable Object. */
export const PING = "ping";
export const PONG = "pong";
/** Milliseconds between pings. After three missed pongs, the agent closes the link. */
export const PING_INTERVAL_MS = 15_000;

/** WebSocket close codes (RFC 6455 section 7.4.2, private use). */
export const closeCodes = {
  replaced: 4001,
  credentialRevoked: 4003,
  protocolMismatch: 4010,
  malformedMessage: 4022,
  limited: 4029,
} as const;

/** How long an agent waits before it reconnects after the close code `limited`, in milliseconds. */
export const LIMITED_RETRY_MS = 30_000;

/** The fields of `hello` that every protocol version has. */
export const AnyHello = z.object({
  type: z.literal("hello"),
  protocol: z.int(),
  agent_version: z.catch(textUpTo(50), ""),
});
export type AnyHello = z.infer<typeof AnyHello>;
/** The fields of `welcome` that every protocol version has. */
export const AnyWelcome = z.object({ type: z.literal("welcome"), protocol: z.int() });
/** The field that every message has. */
export const AnyMessage = z.object({ type: z.string() });

/**
 * POST /v1/agent/enroll: exchanges a single-use enrolment token for the agent's own credential.
 * `attempt`: 32 random bytes in base64url, which the agent stores until it has the credential. A request with the same
 * token and attempt gets the same response, because the first response may have been lost.
 * `protocol`: the agent's protocol version. Without it, the version is checked at `hello`.
 */
export const EnrollInput = z.strictObject({
  token: textUpTo(200),
  attempt: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))),
  hostname: textUpTo(255),
  agent_version: textUpTo(50),
  protocol: z.optional(z.int()),
});
export type EnrollInput = z.infer<typeof EnrollInput>;
export const Enrolled = z.strictObject({ server_id: ServerId, credential: z.string() });
export type Enrolled = z.infer<typeof Enrolled>;

/** Identifies a request over the link. Its answer has the same. */
const RequestId = textUpTo(64);

/** Identifies a reader of a project's output. */
const ReaderId = textUpTo(64);

/** The lines that a reader wants: of one process or instance, or of all; and how many of the last lines. */
const outputFilter = {
  process: z.optional(ProcessName),
  instance: z.optional(InstanceName),
  lines: wholeBetween(0, MAX_LAST_LINES),
};

/** The most lines in one message. */
export const MAX_SENT_OUTPUT = 4000;

/** Messages from the control plane to the agent, over the link. */
export const ToAgent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("welcome"), protocol: z.int(), server_id: ServerId }),
  z.strictObject({ type: z.literal("run"), order: RunOrder }),
  z.strictObject({
    type: z.literal("stop"),
    project_id: ProjectId,
    deployment_id: DeploymentId,
    run_id: RunId,
  }),
  /** Switches `current` to this release. Sent if the agent reported another release and no run is active. */
  z.strictObject({ type: z.literal("correct_release"), project_id: ProjectId, release: ReleaseVersion }),
  /** Stops serving the project and removes its releases, or with `purge` all of its files. The answer is `project_removed`. */
  z.strictObject({ type: z.literal("remove_project"), project_id: ProjectId, purge: z.boolean() }),
  // Requests. Only an agent whose hello has `deploy_keys` answers them, with the same `request_id`.
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
  }),
  /**
   * Sends what the project's instances print, in `output` messages, until `stop_output`. First comes what this reader
   * needs: what was printed after the line `after`, or else the last lines.
   */
  z.strictObject({
    type: z.literal("follow_output"),
    project_id: ProjectId,
    reader: ReaderId,
    ...outputFilter,
    after: z.nullable(wholeFrom(0)),
  }),
  /** Nobody reads the project's output now. */
  z.strictObject({ type: z.literal("stop_output"), project_id: ProjectId }),
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
  // Jobs of the live deployment.
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
]);
export type ToAgent = z.infer<typeof ToAgent>;

/** Far more than the number of releases that a project can keep. */
export const MAX_REPORTED_RELEASES = 1000;
/** The maximum number of projects of an account. A message with more projects or runs is refused. */
export const MAX_REPORTED_PROJECTS = 1000;
export const MAX_REPORTED_RUNS = 1000;
/** Caddy quotes what it refuses. */
export const MAX_INGRESS_PROBLEM = 500;

/** Refuses misleading URLs, such as `http://shop.example.com@evil.test`, or URLs with control characters. */
const readsAsItIs = (url: string) =>
  !/^https?:\/\/[^/?#]*[@\\]/i.test(url) && !/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(url);

/** The maximum length of a link message, in UTF-16 code units: many times a message with all of these. */
export const MAX_LINK_MESSAGE = 4 * 1024 * 1024;

/** Why the ingress does not do what it should, as a sentence. Missing if it does, and from an older agent. */
const reportedIngress = { ingress_problem: z.optional(textUpTo(MAX_INGRESS_PROBLEM)) };

/**
 * What the server serves for one project. `releases`: the complete release folders; if there are too many, the newest.
 * `url`: the URL at which the agent serves the project, if it does. The dashboard links to it, so the schema accepts only
 * plain http and https URLs.
 */
export const ProjectReport = z.strictObject({
  project_id: ProjectId,
  release: z.nullable(ReleaseVersion),
  releases: listUpTo(ReleaseVersion, MAX_REPORTED_RELEASES),
  url: z.nullable(
    z
      .url({ protocol: /^https?$/ })
      .check(z.maxLength(2048), z.refine(readsAsItIs, "must not contain a user name or control characters")),
  ),
  /** What runs. Missing for a project without processes, and from an older agent. */
  processes: z.optional(ProcessReports),
  ...reportedIngress,
});
export type ProjectReport = z.infer<typeof ProjectReport>;

/** The public half of a project's deploy key. */
export const DeployKeyReport = z.strictObject({ project_id: ProjectId, public_key: PublicKey });
export type DeployKeyReport = z.infer<typeof DeployKeyReport>;

/** A run that the agent has started and not yet reported as ended. */
export const ActiveRun = z.strictObject({
  project_id: ProjectId,
  deployment_id: DeploymentId,
  run_id: RunId,
});
export type ActiveRun = z.infer<typeof ActiveRun>;

/** Messages from the agent to the control plane, over the link: at connect (`hello`), every few minutes (`status`), and about single projects. */
export const FromAgent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    protocol: z.int(),
    agent_version: textUpTo(50),
    disk: Disk,
    /** An older agent omits this. */
    isolation: z.optional(IsolationLevel),
    /** The programs for builds. An older agent omits this, and one that has not read all versions yet. */
    tools: z.optional(listUpTo(ToolReport, MAX_REPORTED_TOOLS)),
    ...reportedIngress,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
    runs: listUpTo(ActiveRun, MAX_REPORTED_RUNS),
    /** The key for which secrets are sealed. An older agent has none. */
    seal_key: z.optional(SealKey),
    /** The public keys of the projects that have a deploy key. An older agent omits this. */
    deploy_keys: z.optional(listUpTo(DeployKeyReport, MAX_REPORTED_PROJECTS)),
  }),
  z.strictObject({
    type: z.literal("status"),
    disk: Disk,
    isolation: z.optional(IsolationLevel),
    tools: z.optional(listUpTo(ToolReport, MAX_REPORTED_TOOLS)),
    ...reportedIngress,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
  }),
  /** What the server serves after a change without a run result: a run that was `ended`, or a `correct_release`. */
  z.strictObject({ type: z.literal("serving"), project: ProjectReport }),
  /** The answer to `remove_project`, sent when the files are removed. */
  z.strictObject({ type: z.literal("project_removed"), project_id: ProjectId, purge: z.boolean() }),
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
  /**
   * What a project's instances printed, while it is followed: for all readers, or the first lines for one `reader`, who
   * wants no earlier message. `left_out`: how many lines are missing before these; null: unknown.
   */
  z.strictObject({
    type: z.literal("output"),
    project_id: ProjectId,
    reader: z.nullable(ReaderId),
    lines: listUpTo(FollowedLine, MAX_SENT_OUTPUT),
    left_out: z.nullable(wholeFrom(0)),
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
]);
export type FromAgent = z.infer<typeof FromAgent>;

/** A request of the control plane over the link, and the agent's answer. */
export type AgentRequest = Extract<
  ToAgent,
  {
    type:
      | "make_deploy_key"
      | "test_repository"
      | "read_processes"
      | "set_maintenance"
      | "set_pause"
      | "read_output"
      | "start_command"
      | "read_command"
      | "stop_command"
      | "list_commands"
      | "read_cron"
      | "run_cron"
      | "read_cron_run"
      | "stop_cron_run";
  }
>;
export type AgentAnswer = Extract<
  FromAgent,
  {
    type:
      | "deploy_key"
      | "repository_tested"
      | "processes_read"
      | "maintenance_set"
      | "pause_set"
      | "output_read"
      | "command_read"
      | "commands_listed"
      | "cron_read"
      | "cron_run_read";
  }
>;
