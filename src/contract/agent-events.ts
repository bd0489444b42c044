import * as z from "zod/mini";

import { Artifact } from "#contract/artifact.ts";
import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { DeploymentFailure, LiveEvidence, StageTime } from "#contract/endpoints/deployments/schemas.ts";
import { CommitSha, MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { ProjectId, RunId } from "#contract/ids.ts";
import { LogStage, LogStream, MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { runStages } from "#contract/stages.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { ProjectReport } from "#contract/agent-protocol.ts";

/**
 * A message has at most 16 KiB of UTF-8. This schema counts UTF-16 units, which are never more than the bytes; the
 * control plane cuts messages that have more bytes. It also replaces a `time` that is invalid or far from the time of
 * arrival (`lineTime`).
 */
export const OutputLine = z.strictObject({
  time: textUpTo(40),
  stream: LogStream,
  stage: LogStage,
  message: textUpTo(MAX_LOG_LINE_BYTES),
});
export type OutputLine = z.infer<typeof OutputLine>;

/** The limits of one request. A request that exceeds them is refused. */
export const MAX_EVENTS = 500;
export const MAX_OUTPUT_LINES = 2000;

const seq = wholeFrom(1);

/**
 * The result of a run. After a `failed` or `canceled` run, the previous release is served. `built`: a server that only builds
 * for others has sent the artifact.
 */
export const RunResult = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("live"), release: ReleaseVersion, evidence: LiveEvidence }),
  z.strictObject({ outcome: z.literal("failed"), failure: DeploymentFailure }),
  z.strictObject({ outcome: z.literal("canceled") }),
  z.strictObject({ outcome: z.literal("built") }),
]);
export type RunResult = z.infer<typeof RunResult>;

/**
 * An event of a run. `seq` counts from 1 without gaps.
 * `artifact` comes once, after all parts of the artifact are stored. `ready` asks for the activation permit. `result` is the last event, after all output lines.
 */
export const RunEvent = z.discriminatedUnion("type", [
  z.strictObject({ seq, type: z.literal("stage"), stage: z.enum(runStages) }),
  z.strictObject({
    seq,
    type: z.literal("resolved"),
    commit_sha: CommitSha,
    commit_message: textUpTo(MAX_COMMIT_MESSAGE),
  }),
  /** The preset of the configured or detected framework for these files. Project settings take precedence. */
  z.strictObject({ seq, type: z.literal("framework"), preset: DetectedPreset }),
  z.strictObject({ seq, type: z.literal("output"), lines: listUpTo(OutputLine, MAX_OUTPUT_LINES) }),
  z.strictObject({ seq, type: z.literal("artifact"), artifact: Artifact }),
  z.strictObject({ seq, type: z.literal("ready") }),
  z.strictObject({
    seq,
    type: z.literal("result"),
    result: RunResult,
    project: ProjectReport,
    /** An agent that was killed during the run sends none. */
    stages: z.optional(listUpTo(StageTime, 2 * runStages.length)),
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

/** POST /v1/agent/deployments/:id/events. A request without events is a heartbeat. */
export const RunEvents = z.strictObject({
  project_id: ProjectId,
  run_id: RunId,
  events: listUpTo(RunEvent, MAX_EVENTS),
});
export type RunEvents = z.infer<typeof RunEvents>;

/**
 * What the agent must do next. `activate`: the permit to switch to the release. `stop`: end the run and report it as
 * `canceled`. `ended`: the control plane has ended this run; stop, clean up, and report nothing more.
 */
export const Instruction = z.enum(["continue", "activate", "stop", "ended"]);
export type Instruction = z.infer<typeof Instruction>;

/**
 * `acked_seq`: all events up to this number are stored, so the agent need not send them again.
 * `poll_seconds`: how long an agent that waits for its permit lets pass until it asks again, because `permit` tells it
 * when to ask. An agent waits for a minute at most.
 */
export const RunEventsAnswer = z.strictObject({
  acked_seq: wholeFrom(0),
  instruction: Instruction,
  poll_seconds: z.optional(wholeFrom(1)),
});
export type RunEventsAnswer = z.infer<typeof RunEventsAnswer>;
