import type { DeploymentId } from "#contract/ids.ts";
import type { LogQuery } from "#contract/endpoints/logs/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { type LogPlaces, openLog, readLog } from "#worker/logs/read-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { notFound } from "#worker/operations/not-found.ts";
import { lineOfCursor } from "#worker/operations/deployments/log-cursor.ts";

/** The whole log so far, or what follows the cursor, some lines at a time; read as they are asked for. */
export async function readDeploymentLog(
  context: Context,
  id: DeploymentId,
  { cursor }: LogQuery,
): Promise<Result<AsyncIterable<readonly StoredLine[]>, "not_found" | "invalid_request" | "log_expired">> {
  const after = lineOfCursor(cursor);
  if (!after.ok) return after;
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return notFound("deployment");
  return await openDeploymentLog(context, deployment, after.value + 1);
}

type LogOf = Pick<DeploymentRecord, "id" | "projectId" | "status">;

/**
 * A deployment's log from a line on, as it stands. Refused where the deployment has ended and nothing of its log is
 * there any more. To tell that, the first lines are read at once.
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
    ? refuse("log_expired", `The log of ${deployment.id} is not kept any more.`)
    : succeed(lines);
}

/** The same, read as it is asked for; no lines where the log is not there. */
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
