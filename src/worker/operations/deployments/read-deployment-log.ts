import type { DeploymentId } from "#contract/ids.ts";
import type { LogQuery } from "#contract/endpoints/logs/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { findDeploymentStatus } from "#worker/db/deployments/find-deployment.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { type LogPlaces, openLog, readLog } from "#worker/logs/read-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { lineOfCursor } from "#worker/operations/deployments/log-cursor.ts";

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
