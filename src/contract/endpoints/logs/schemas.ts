import * as z from "zod/mini";

import { textBetween, wholeFrom } from "#contract/bounds.ts";
import { DeploymentStatus, Failure } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId } from "#contract/ids.ts";
import { NextCursor, queryInteger } from "#contract/paging.ts";
import { stages } from "#contract/stages.ts";

/** Of the message, in UTF-8. */
export const MAX_LOG_LINE_BYTES = 16 * 1024;
/** Of all lines as they are stored, NDJSON. */
export const MAX_LOG_BYTES = 50 * 1024 * 1024;
export const DEFAULT_LOG_PAGE = 500;
export const MAX_LOG_PAGE = 1000;

/** `system` lines are Gantry's own words; the others are what a command wrote. */
export const LogStream = z.enum(["stdout", "stderr", "system"]);
export type LogStream = z.infer<typeof LogStream>;

export const LogStage = z.enum([...stages, "prune", "end"]);
export type LogStage = z.infer<typeof LogStage>;

/** One line of a deployment's log. `line` counts from 1 without a gap; `time` is ISO 8601 in UTC. */
export const LogLine = z.strictObject({
  line: wholeFrom(1),
  time: z.string(),
  stream: LogStream,
  stage: LogStage,
  message: z.string(),
});
export type LogLine = z.infer<typeof LogLine>;

/** How far a line's time may be from when it arrived: an agent may have been cut off for a while, or its clock be wrong. */
const MAX_LINE_AGE_MS = 24 * 60 * 60_000;
const MAX_LINE_LEAD_MS = 5 * 60_000;

const LineTime = z.iso.datetime({ offset: true });

/**
 * The time of a line as it is stored, in UTC. Where what its agent says is no time, or far from when it arrived, that is
 * what counts: a line isn't lost for it.
 * @param receivedAt Unix milliseconds
 */
export function lineTime(said: string, receivedAt: number): string {
  const at = LineTime.safeParse(said).success ? Date.parse(said) : NaN;
  const isNear = at >= receivedAt - MAX_LINE_AGE_MS && at <= receivedAt + MAX_LINE_LEAD_MS;
  return new Date(isNear ? at : receivedAt).toISOString();
}

export const LogQuery = z.strictObject({
  limit: z.optional(queryInteger(1, MAX_LOG_PAGE)),
  cursor: z.optional(textBetween(1, 512)),
});
export type LogQuery = z.infer<typeof LogQuery>;

export const LogPage = z.strictObject({
  deployment_id: DeploymentId,
  status: DeploymentStatus,
  lines: z.array(LogLine),
  next_cursor: NextCursor,
});
export type LogPage = z.infer<typeof LogPage>;

/** While nothing is written, a stream of events has a comment so often, in milliseconds: so a cut one can be told. */
export const LOG_HEARTBEAT_MS = 10_000;

/** The name of a stream's last event. Its data is a LogEnd; that of every event before it, which has no name, a LogLine. */
export const LOG_END_EVENT = "end";

export const LogEnd = z.strictObject({
  deployment_id: DeploymentId,
  status: z.enum(["live", "superseded", "failed", "canceled", "deleted"]),
  failure: z.nullable(Failure),
});
export type LogEnd = z.infer<typeof LogEnd>;
