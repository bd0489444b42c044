import { DEFAULT_LOG_PAGE, LogLine, type LogPage, type LogQuery } from "#contract/endpoints/logs/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { storedAs } from "#contract/stored.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { findDeploymentStatus } from "#worker/db/deployments/find-deployment.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { type LogPlaces, openLog, readLog } from "#worker/logs/read-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { notFound } from "#worker/operations/refusals.ts";

const storedLine = storedAs(LogLine);

/**
 * The most text in a page, in UTF-16 units of JSON. The response exists in memory several times: a thousand lines of
 * maximum length would exceed the 128 MB that a Worker has for all its requests.
 */
const MAX_PAGE_UNITS = 4 * 1024 * 1024;

/**
 * Returns a page of a deployment's log. `next_cursor` is null only if the deployment has ended and this is the last
 * page, so a client can poll with it while the deployment runs.
 */
export async function getDeploymentLog(
  context: Context,
  id: DeploymentId,
  query: LogQuery,
): Promise<Result<LogPage, "not_found" | "invalid_request" | "log_expired">> {
  const after = lineOfCursor(query.cursor);
  if (!after.ok) return after;
  const deployment = await findDeploymentStatus(context.rows, id);
  if (deployment === null) return notFound("deployment");
  const limit = query.limit ?? DEFAULT_LOG_PAGE;
  const log = await openDeploymentLog(context, deployment, after.value + 1);
  if (!log.ok) return log;
  const { stored, isAll } = await firstLines(log.value, limit);
  const lines = stored.map((json) => storedLine.parse(JSON.parse(json)));
  const last = lines.at(-1)?.line ?? after.value;
  const hasNext = !isAll || deployment.status === "building";
  const next_cursor = hasNext ? logCursor(last) : null;
  return succeed({ deployment_id: id, status: deployment.status, lines, next_cursor });
}

/** The lines of a page as JSON, within both limits, but at least one. `isAll`: no line follows so far. */
async function firstLines(
  log: AsyncIterable<readonly StoredLine[]>,
  limit: number,
): Promise<{ readonly stored: readonly string[]; readonly isAll: boolean }> {
  const stored: string[] = [];
  let units = 0;
  for await (const some of log)
    for (const { json } of some) {
      units += json.length;
      if (stored.length === limit || (stored.length > 0 && units > MAX_PAGE_UNITS))
        return { stored, isAll: false };
      stored.push(json);
    }
  return { stored, isAll: true };
}

/** Reads the log so far, or the lines after the cursor. Reads more as the caller iterates. */
export async function readDeploymentLog(
  context: Context,
  id: DeploymentId,
  { cursor }: LogQuery,
): Promise<Result<AsyncIterable<readonly StoredLine[]>, "not_found" | "invalid_request" | "log_expired">> {
  const after = lineOfCursor(cursor);
  if (!after.ok) return after;
  const deployment = await findDeploymentStatus(context.rows, id);
  if (deployment === null) return notFound("deployment");
  return await openDeploymentLog(context, deployment, after.value + 1);
}

type LogOf = Pick<DeploymentRecord, "id" | "projectId" | "status">;

/**
 * Opens a deployment's log from a line on. Refuses with `log_expired` if the deployment has ended and its log no longer
 * exists; to find that out, it reads the first lines.
 */
export async function openDeploymentLog(
  context: Context,
  deployment: LogOf,
  fromLine: number,
): Promise<Result<AsyncIterable<readonly StoredLine[]>, "log_expired">> {
  const hasEnded = deployment.status !== "building";
  const lines = hasEnded
    ? await openLog(placesOf(context, deployment), fromLine, hasEnded)
    : linesFrom(context, deployment, fromLine);
  return lines === null
    ? refuse("log_expired", `The log of ${deployment.id} was deleted after the account's retention period.`)
    : succeed(lines);
}

/** The log from a line on, read as the caller iterates. No lines if the log does not exist. */
export function linesFrom(
  context: Context,
  deployment: LogOf,
  fromLine: number,
): AsyncIterable<readonly StoredLine[]> {
  return readLog(placesOf(context, deployment), fromLine, deployment.status !== "building");
}

function placesOf(context: Context, { id: deploymentId, projectId }: LogOf): LogPlaces {
  return {
    store: new LogStore(context.logs),
    owner: { accountId: context.account.id, projectId, deploymentId },
    unfinished: async (line: number) =>
      await context.lanes.getByName(projectId).unfinishedLog(deploymentId, line),
  };
}

/** A log's cursor contains the last line that was read. */
const CURSOR = /^line:(\d{1,9})$/;

/** The cursor for the lines after this one. 0: all lines. */
function logCursor(lastLine: number): string {
  return btoa(`line:${lastLine}`);
}

/** The last line that was read, according to the cursor; 0 without a cursor. */
export function lineOfCursor(cursor: string | undefined): Result<number, "invalid_request"> {
  if (cursor === undefined) return succeed(0);
  const line = CURSOR.exec(atobOrEmpty(cursor))?.[1];
  if (line !== undefined) return succeed(Number(line));
  return refuse("invalid_request", "The cursor does not belong to a log.", [
    { pointer: "?cursor", message: "is not a cursor of a log" },
  ]);
}

function atobOrEmpty(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
