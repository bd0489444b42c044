import * as z from "zod/mini";

import { textBetween, wholeFrom } from "#contract/bounds.ts";
import { DeploymentStatus, DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, ServerId } from "#contract/ids.ts";
import { NextCursor, queryInteger } from "#contract/paging.ts";
import { stages } from "#contract/stages.ts";
import { dateTime } from "#contract/lib/zod-parts.ts";

/** The maximum size of a message, in bytes of UTF-8. */
export const MAX_LOG_LINE_BYTES = 16 * 1024;
/** The maximum size of a log in its stored form, NDJSON. */
export const MAX_LOG_BYTES = 50 * 1024 * 1024;
export const DEFAULT_LOG_PAGE = 500;
export const MAX_LOG_PAGE = 1000;

/** `system`: messages of Gantry. The others: output of a command. */
export const LogStream = z.enum(["stdout", "stderr", "system"]);
export type LogStream = z.infer<typeof LogStream>;

export const LogStage = z.enum([...stages, "prune", "end"]);
export type LogStage = z.infer<typeof LogStage>;

/**
 * One line of a log. `line` counts from 1 without gaps; `time` is ISO 8601 in UTC. `server_id`: of the server that wrote it or
 * that it is about, if the project has several.
 */
export const LogLine = z.strictObject({
  line: wholeFrom(1),
  time: z.string(),
  stream: LogStream,
  stage: LogStage,
  message: z.string(),
  server_id: z.optional(ServerId),
});
export type LogLine = z.infer<typeof LogLine>;

/** The accepted difference between a line's time and its arrival. Lines arrive late after a lost connection. */
const MAX_LINE_AGE_MS = 24 * 60 * 60_000;
const MAX_LINE_LEAD_MS = 5 * 60_000;

const LineTime = dateTime();

/**
 * The time to store with a line, in UTC. If the agent's time is invalid or too far from the arrival, the time of arrival
 * is used, so that the line is kept.
 * @param reported the time from the agent
 * @param receivedAt Unix milliseconds
 */
export function lineTime(reported: string, receivedAt: number): string {
  const at = LineTime.safeParse(reported).success ? Date.parse(reported) : NaN;
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

export const LogEnd = z.strictObject({
  deployment_id: DeploymentId,
  status: z.enum(["live", "superseded", "failed", "canceled", "deleted"]),
  failure: z.nullable(DeploymentFailure),
});
export type LogEnd = z.infer<typeof LogEnd>;
