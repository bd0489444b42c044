import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { BalanceReports, FleetReport } from "#contract/agent-fleet.ts";
import { answerSchemas } from "#contract/agent-answers.ts";
import { outputFilter, requestSchemas } from "#contract/agent-requests.ts";
import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { DeploymentId, ProjectId, RunId, ServerId } from "#contract/ids.ts";
import { PublicKey } from "#contract/endpoints/projects/repository-access.ts";
import {
  Containers,
  Disk,
  IsolationLevel,
  PolicyLevel,
  MAX_REPORTED_TOOLS,
  ToolReport,
} from "#contract/endpoints/servers/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { FollowedLine } from "#contract/endpoints/output/schemas.ts";
import { ProcessReports } from "#contract/endpoints/processes/schemas.ts";
import { CertificateHealths, JobHealths } from "#contract/reported-health.ts";
import { ReleaseVersion, RunOrder } from "#contract/agent-order.ts";
import { TipMoved, WatchedBranch } from "#contract/agent-watch.ts";
import { instead } from "#contract/lib/zod-parts.ts";
import { growing } from "#contract/growing.ts";

/**
 * Raised for changes that an older agent or control plane must not ignore. Both sides send their version first. Within
 * a version, fields and link messages can be added: a receiver ignores fields and messages that it does not know
 * (`parseKnown`).
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
  agent_version: instead(textUpTo(50), ""),
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

/** Identifies a reader of a project's output. */
const ReaderId = textUpTo(64);

/** The most lines in one message. */
const MAX_SENT_OUTPUT = 4000;

/** The maximum number of projects of an account. A message with more projects or runs is refused. */
export const MAX_REPORTED_PROJECTS = 1000;

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
  /**
   * The run has its activation permit: an agent that waits for it asks at once. It is a hint, which may be lost or come
   * twice: the permit itself is the instruction `activate`.
   */
  z.strictObject({ type: z.literal("permit"), project_id: ProjectId, run_id: RunId }),
  /** Switches `current` to this release. Sent if the agent reported another release and no run is active. */
  z.strictObject({ type: z.literal("correct_release"), project_id: ProjectId, release: ReleaseVersion }),
  /** Stops serving the project and removes its releases, or with `purge` all of its files. The answer is `project_removed`. */
  z.strictObject({ type: z.literal("remove_project"), project_id: ProjectId, purge: z.boolean() }),
  /**
   * Sends what the project's instances print, in `output` messages, until `stop_output`. First come the lines that this
   * reader needs: the lines after `after`, or else the last lines.
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
  /** The branches to watch from now on, and no others. */
  z.strictObject({ type: z.literal("watch"), projects: listUpTo(WatchedBranch, MAX_REPORTED_PROJECTS) }),
  ...requestSchemas,
]);
export type ToAgent = z.infer<typeof ToAgent>;

/** The fields of `run` by which its deployment can fail, even if the agent cannot read the others. */
export const AnyRun = z.object({
  type: z.literal("run"),
  order: z.object({ project_id: ProjectId, deployment_id: DeploymentId, run_id: RunId }),
});

/** Far more than the number of releases that a project can keep. */
export const MAX_REPORTED_RELEASES = 1000;
export const MAX_REPORTED_RUNS = 1000;
/** Caddy quotes the configuration that it refuses. */
export const MAX_INGRESS_PROBLEM = 500;
export const MAX_CAPABILITIES = 100;
export const MAX_CAPABILITY = 40;

/** The capability of an agent that knows `place` in orders, the message `permit`, and `poll_seconds` in answers. */
export const FLEET = "fleet";

/** The capability of an agent that knows `artifact` in orders. */
export const ARTIFACTS = "artifacts";

/** The capability of an agent that runs images of a registry. */
export const IMAGES = "images";

/** The maximum length of a link message, in UTF-16 code units: many times a message with all of these. */
export const MAX_LINK_MESSAGE = 4 * 1024 * 1024;

/** Why the ingress does not work, as a sentence. Missing if it works. */
const reportedIngress = { ingress_problem: z.optional(textUpTo(MAX_INGRESS_PROBLEM)) };

/** Missing: the agent is older than this field. */
const reportedContainers = { containers: z.optional(Containers) };

/** `fleet`: missing if the ingress is not Caddy with TLS, or has no root yet. `balance`: missing if the server balances nothing. */
const reportedFleet = { fleet: z.optional(FleetReport), balance: z.optional(BalanceReports) };

/**
 * What the server serves for one project. `releases`: the complete release folders; if there are too many, the newest.
 * `url`: the URL at which the agent serves the project, if it does. The dashboard links to it.
 */
export const ProjectReport = z.strictObject({
  project_id: ProjectId,
  release: z.nullable(ReleaseVersion),
  releases: listUpTo(ReleaseVersion, MAX_REPORTED_RELEASES),
  url: z.nullable(WebAddress),
  /** What runs. Missing for a project without processes. */
  processes: z.optional(ProcessReports),
  /** Missing for a project that never had a cron job. */
  jobs: z.optional(JobHealths),
  /** Missing if Gantry's ingress does not look after the certificates. */
  certificates: z.optional(CertificateHealths),
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
    /** The types of the requests that this agent answers (`agentRequests`), `FLEET`, `ARTIFACTS` and `IMAGES`. */
    capabilities: listUpTo(textUpTo(MAX_CAPABILITY), MAX_CAPABILITIES),
    disk: Disk,
    isolation: growing(IsolationLevel),
    policy: growing(PolicyLevel),
    /** The programs for builds. Missing while the agent reads their versions. */
    tools: z.optional(listUpTo(ToolReport, MAX_REPORTED_TOOLS)),
    ...reportedContainers,
    ...reportedIngress,
    ...reportedFleet,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
    runs: listUpTo(ActiveRun, MAX_REPORTED_RUNS),
    /** The key for which secrets are sealed. */
    seal_key: z.optional(SealKey),
    /** The public keys of the projects that have a deploy key. */
    deploy_keys: listUpTo(DeployKeyReport, MAX_REPORTED_PROJECTS),
  }),
  z.strictObject({
    type: z.literal("status"),
    disk: Disk,
    isolation: growing(IsolationLevel),
    policy: growing(PolicyLevel),
    tools: z.optional(listUpTo(ToolReport, MAX_REPORTED_TOOLS)),
    ...reportedContainers,
    ...reportedIngress,
    ...reportedFleet,
    projects: listUpTo(ProjectReport, MAX_REPORTED_PROJECTS),
  }),
  /** What the server serves after a change without a run result: a run that was `ended`, or a `correct_release`. */
  z.strictObject({ type: z.literal("serving"), project: ProjectReport }),
  /** The answer to `remove_project`, sent when the files are removed. */
  z.strictObject({ type: z.literal("project_removed"), project_id: ProjectId, purge: z.boolean() }),
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
  TipMoved,
  ...answerSchemas,
]);
export type FromAgent = z.infer<typeof FromAgent>;
