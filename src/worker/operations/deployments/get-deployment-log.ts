import type { DeploymentId } from "#contract/ids.ts";
import { DEFAULT_LOG_PAGE, LogLine, type LogPage, type LogQuery } from "#contract/endpoints/logs/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { storedAs } from "#contract/stored.ts";
import type { Context } from "#worker/context.ts";
import { findDeploymentStatus } from "#worker/db/deployments/find-deployment.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { lineOfCursor, logCursor } from "#worker/operations/deployments/log-cursor.ts";
import { openDeploymentLog } from "#worker/operations/deployments/read-deployment-log.ts";

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
