import type { DeploymentId } from "#contract/ids.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/log-stream.ts";
import type { LogEnd, LogQuery } from "#contract/endpoints/logs/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { findDeploymentStatus } from "#worker/db/deployments/find-deployment.ts";
import { connectFirst } from "#worker/following/connect.ts";
import { followLog, type LogEvent } from "#worker/following/log/follow-log.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { lineOfCursor, linesFrom, openDeploymentLog } from "#worker/operations/deployments/deployment-log.ts";

const MAX_LINE = 999_999_999;

export type DeploymentLogEvents = (signal: AbortSignal) => AsyncGenerator<LogEvent<LogEnd>>;

/**
 * Follows a deployment's log to its end: the lines so far, then new lines.
 *
 * @param lastEventId the last line that the client received; overrides the query's cursor
 */
export async function followDeploymentLog(
  context: Context,
  id: DeploymentId,
  { cursor }: LogQuery,
  lastEventId: number | null,
): Promise<
  Result<DeploymentLogEvents, "not_found" | "invalid_request" | "log_expired" | "too_many_followers">
> {
  const after = lastEventId === null ? lineOfCursor(cursor) : lineOfEvent(lastEventId);
  if (!after.ok) return after;
  const deployment = await findDeploymentStatus(context.rows, id);
  if (deployment === null) return notFound("deployment");
  const end = endOf(id, deployment);
  if (end !== null) {
    const lines = await openDeploymentLog(context, deployment, after.value + 1);
    return lines.ok ? succeed(() => finished(lines.value, end)) : lines;
  }
  const connect = await connectFirst(() =>
    followLane(context.lanes.getByName(deployment.projectId), id, context.token.id),
  );
  if (!connect.ok) return connect;
  const log = {
    read: (fromLine: number) => linesFrom(context, deployment, fromLine),
    connect: connect.value,
    ending: async () => endOf(id, await findDeploymentStatus(context.latestRows, id)),
    heartbeatMs: LOG_HEARTBEAT_MS,
  };
  return succeed((signal) => followLog(log, after.value, signal));
}

/** The ids of a log's events are its line numbers, which are small. */
function lineOfEvent(id: number): Result<number, "invalid_request"> {
  if (id <= MAX_LINE) return succeed(id);
  const message = "must be a line number, like the ids of the stream";
  return refuse("invalid_request", "The header Last-Event-ID must contain the id of an event of this log.", [
    { pointer: "Last-Event-ID", message },
  ]);
}

async function* finished(
  lines: AsyncIterable<readonly StoredLine[]>,
  end: LogEnd,
): AsyncGenerator<LogEvent<LogEnd>> {
  for await (const some of lines) yield { type: "lines", lines: some };
  yield { type: "end", end };
}

/** null while the deployment has not ended. */
function endOf(id: DeploymentId, record: Pick<DeploymentRecord, "status" | "failure"> | null): LogEnd | null {
  if (record === null) return { deployment_id: id, status: "deleted", failure: null };
  const { status, failure } = record;
  return status === "building" ? null : { deployment_id: id, status, failure };
}
