import type { DeploymentId } from "#contract/ids.ts";
import { DEFAULT_LOG_PAGE, LogLine, type LogPage, type LogQuery } from "#contract/logs.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/find-deployment.ts";
import { lineOfCursor, logCursor } from "#worker/operations/log-cursor.ts";
import { openDeploymentLog } from "#worker/operations/read-deployment-log.ts";

/**
 * A page of a deployment's log. While more lines can come, `next_cursor` is never null, so that a client goes on
 * asking with it; once the deployment has ended, null says that this was all.
 */
export async function getDeploymentLog(
  context: Context,
  id: DeploymentId,
  query: LogQuery,
): Promise<Result<LogPage, "not_found" | "invalid_request" | "log_expired">> {
  const after = lineOfCursor(query.cursor);
  if (!after.ok) return after;
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return refuse("not_found", `There is no deployment ${id}.`);
  const limit = query.limit ?? DEFAULT_LOG_PAGE;
  const log = await openDeploymentLog(context, deployment, after.value + 1);
  if (!log.ok) return log;
  const stored: string[] = [];
  for await (const some of log.value) {
    stored.push(...some.slice(0, limit + 1 - stored.length).map(({ json }) => json));
    if (stored.length > limit) break;
  }
  const lines = stored.slice(0, limit).map((json) => LogLine.parse(JSON.parse(json)));
  const last = lines.at(-1)?.line ?? after.value;
  const canCome = stored.length > limit || deployment.status === "building";
  const next_cursor = canCome ? logCursor(last) : null;
  return succeed({ deployment_id: id, status: deployment.status, lines, next_cursor });
}
