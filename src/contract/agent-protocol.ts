import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { Failure, LiveEvidence } from "#contract/endpoints/deployments/schemas.ts";
import {
  BranchName,
  CommitName,
  CommitSha,
  InsidePath,
  Repository,
  SharedPath,
} from "#contract/git-names.ts";
import { DeploymentId, ProjectId, RunId, ServerId } from "#contract/ids.ts";
import { LogStage, LogStream, MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import {
  BuildSettings,
  CommitRule,
  HealthCheck,
  Preset,
  ShellCommand,
  Timeouts,
} from "#contract/endpoints/projects/schemas.ts";
import { Disk } from "#contract/endpoints/servers/schemas.ts";
import { runStages } from "#contract/stages.ts";

/**
 * Rises when an older agent or control plane may not pass over what is new. Both sides say theirs first. Within a version
 * fields, and messages of the link, may be added: whoever does not know them leaves them out (`parseKnown`).
 */
export const PROTOCOL_VERSION = 2;

/** What the agent sends to keep the link; the control plane answers `pong` without waking up. */
export const PING = "ping";
export const PONG = "pong";
/** Milliseconds between pings. Three missed ones mean that the link is dead. */
export const PING_INTERVAL_MS = 15_000;

/** WebSocket close codes (RFC 6455 section 7.4.2, private use). */
export const closeCodes = {
  replaced: 4001,
  credentialRevoked: 4003,
  protocolMismatch: 4010,
  malformedMessage: 4022,
  limited: 4029,
} as const;

/** How long an agent stays away whose link was closed as `limited`, in milliseconds. */
export const LIMITED_RETRY_MS = 30_000;

/** The beginning of a `hello` of any version. */
export const AnyHello = z.object({
  type: z.literal("hello"),
  protocol: z.int(),
  agent_version: z.catch(textUpTo(50), ""),
});
export type AnyHello = z.infer<typeof AnyHello>;
/** The beginning of a `welcome` of any version. */
export const AnyWelcome = z.object({ type: z.literal("welcome"), protocol: z.int() });
/** The beginning of any message. */
export const AnyMessage = z.object({ type: z.string() });

/**
 * POST /v1/agent/enroll: a single-use enrolment token for the agent's own credential.
 * `attempt`: 32 random bytes in base64url that the agent keeps until it has the credential. With the same token and
 * attempt it is answered again, because the first answer may have been lost.
 * `protocol`: the version that the agent speaks. Without it, the check waits for its `hello`.
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

/** A release folder's name: the version of the deployment that built it. */
export const ReleaseVersion = wholeFrom(1);

/**
 * Everything the agent needs for one run. It trusts none of it: names and paths are parsed again here.
 * `source.commits`: the project's setting for a commit by its hash; an older control plane leaves it out, which means
 * `reachable`. `in_branch`: the commit has to be in `branch`, because the request has named both. `was_live`: the order is a
 * rollback, so the commit was live before.
 * `reuse_release`: activate this kept release without fetching or building, if its files are whole;
 * otherwise the agent builds `source` into `releases/<version>`.
 * `permitted`: the activation permit rides along, so the agent does not ask for it.
 * `framework`, `build_command`, `output_directory`: what is left out, the agent takes from the preset of the framework,
 * and the framework from the files; a `build_command` of null is none.
 * `keep_releases`: the releases that stay after this one is live, besides itself; all others go.
 */
export const RunOrder = z.strictObject({
  run_id: RunId,
  deployment_id: DeploymentId,
  project_id: ProjectId,
  project_name: z.string(),
  domain: z.string(),
  version: ReleaseVersion,
  source: z.strictObject({
    repository: Repository,
    branch: BranchName,
    commit: z.nullable(CommitName),
    commits: z.optional(CommitRule),
    in_branch: z.optional(z.boolean()),
    was_live: z.optional(z.boolean()),
  }),
  reuse_release: z.nullable(ReleaseVersion),
  preapproved: z.boolean(),
  root_directory: InsidePath,
  ...BuildSettings.shape,
  activate_command: z.nullable(ShellCommand),
  shared_paths: z.array(SharedPath),
  health_check: z.nullable(HealthCheck),
  timeouts: Timeouts,
  keep_releases: z.array(ReleaseVersion),
});
export type RunOrder = z.infer<typeof RunOrder>;

/** Control plane to agent, over the link. */
export const ToAgent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("welcome"), protocol: z.int(), server_id: ServerId }),
  z.strictObject({ type: z.literal("run"), order: RunOrder }),
  z.strictObject({
    type: z.literal("stop"),
    project_id: ProjectId,
    deployment_id: DeploymentId,
    run_id: RunId,
  }),
  /** What `current` should point to, sent when the agent has said otherwise and nothing runs. */
  z.strictObject({ type: z.literal("correct_release"), project_id: ProjectId, release: ReleaseVersion }),
  /** Stop serving the project and remove its releases; with `purge`, everything of it. Answered with `forgotten`. */
  z.strictObject({ type: z.literal("remove_project"), project_id: ProjectId, purge: z.boolean() }),
]);
export type ToAgent = z.infer<typeof ToAgent>;

/** Many more than the releases that a project can have kept. */
export const MAX_REPORTED_RELEASES = 1000;
/** As many projects as an account can have, and so many runs: a message that tells of more is refused as a whole. */
export const MAX_REPORTED_PROJECTS = 1000;
export const MAX_REPORTED_RUNS = 1000;

/** `http://shop.example.com@evil.test` reads as another address than it is, and so may one with control characters. */
const readsAsItIs = (url: string) =>
  !/^https?:\/\/[^/?#]*[@\\]/i.test(url) && !/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(url);

/** The longest message over the link, in UTF-16 code units: many times what an agent with all of these has to say. */
export const MAX_LINK_MESSAGE = 4 * 1024 * 1024;

/**
 * What one project serves on this server. `releases`: the folders that are whole, the newest where they are too many.
 * `url`: where the agent serves it, if it does; people follow it from the dashboard, so it can be nothing else than an
 * address of a site.
 */
export const ProjectReport = z.strictObject({
  project_id: ProjectId,
  release: z.nullable(ReleaseVersion),
  releases: listUpTo(ReleaseVersion, MAX_REPORTED_RELEASES),
  url: z.nullable(
    z
      .url({ protocol: /^https?$/ })
      .check(
        z.maxLength(2048),
        z.refine(readsAsItIs, "must have no name before its host, and no control characters"),
      ),
  ),
});
export type ProjectReport = z.infer<typeof ProjectReport>;

/** A run that the agent has taken and not yet reported as ended. */
export const ActiveRun = z.strictObject({
  project_id: ProjectId,
  deployment_id: DeploymentId,
  run_id: RunId,
});
export type ActiveRun = z.infer<typeof ActiveRun>;

/** Agent to control plane, over the link: at connect (`hello`), every few minutes (`status`), and of single projects. */
export const FromAgent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    protocol: z.int(),
    agent_version: textUpTo(50),
    disk: Disk,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
    runs: listUpTo(ActiveRun, MAX_REPORTED_RUNS),
  }),
  z.strictObject({
    type: z.literal("status"),
    disk: Disk,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
  }),
  /** What a project serves after a change that no result tells: a run that was `over`, or a `restore`. */
  z.strictObject({ type: z.literal("serving"), project: ProjectReport }),
  /** The answer to `forget`, once it is done. */
  z.strictObject({ type: z.literal("project_removed"), project_id: ProjectId, purge: z.boolean() }),
]);
export type FromAgent = z.infer<typeof FromAgent>;

/**
 * A message has at most 16 KiB of UTF-8. What is counted here is UTF-16, which never is more; the rest is cut where it
 * arrives. A `time` that is none, or far from its arrival, is replaced there (`lineTime`).
 */
export const OutputLine = z.strictObject({
  time: textUpTo(40),
  stream: LogStream,
  stage: LogStage,
  message: textUpTo(MAX_LOG_LINE_BYTES),
});
export type OutputLine = z.infer<typeof OutputLine>;

/** How much of a run one request may tell; what has more is refused as a whole. The message is in UTF-16 code units. */
export const MAX_EVENTS = 500;
export const MAX_OUTPUT_LINES = 2000;
export const MAX_COMMIT_MESSAGE = 1000;

const seq = wholeFrom(1);

/** Where a run ended. A `failed` or `canceled` run has switched back (or never switched). */
export const RunResult = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("live"), release: ReleaseVersion, evidence: LiveEvidence }),
  z.strictObject({ outcome: z.literal("failed"), failure: Failure }),
  z.strictObject({ outcome: z.literal("canceled") }),
]);
export type RunResult = z.infer<typeof RunResult>;

/**
 * What happened in a run, numbered by `seq` from 1 without a gap.
 * `ready` asks for the activation permit. `result` is the last event, sent after every line of output.
 */
export const RunEvent = z.discriminatedUnion("type", [
  z.strictObject({ seq, type: z.literal("stage"), stage: z.enum(runStages) }),
  z.strictObject({
    seq,
    type: z.literal("resolved"),
    commit_sha: CommitSha,
    commit_message: textUpTo(MAX_COMMIT_MESSAGE),
  }),
  /** What the framework that is given, or found in the files, says of these files; settings may overrule it. */
  z.strictObject({ seq, type: z.literal("framework"), preset: Preset }),
  z.strictObject({ seq, type: z.literal("output"), lines: listUpTo(OutputLine, MAX_OUTPUT_LINES) }),
  z.strictObject({ seq, type: z.literal("ready") }),
  z.strictObject({ seq, type: z.literal("result"), result: RunResult, project: ProjectReport }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

/** POST /v1/agent/deployments/:id/events. No events at all is a sign of life. */
export const RunEvents = z.strictObject({
  project_id: ProjectId,
  run_id: RunId,
  events: listUpTo(RunEvent, MAX_EVENTS),
});
export type RunEvents = z.infer<typeof RunEvents>;

/**
 * What the agent does now. `activate`: the permit. `stop`: end the run, and report it as `canceled`;
 * `over`: the control plane has ended this run: stop, clean up, report nothing more.
 */
export const Instruction = z.enum(["continue", "activate", "stop", "ended"]);
export type Instruction = z.infer<typeof Instruction>;

/** `acked_seq`: every event up to this one is stored, and need not be sent again. */
export const RunEventsAnswer = z.strictObject({
  acked_seq: wholeFrom(0),
  instruction: Instruction,
});
export type RunEventsAnswer = z.infer<typeof RunEventsAnswer>;
