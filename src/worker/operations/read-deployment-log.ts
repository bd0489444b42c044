import type { DeploymentId } from "#contract/ids.ts";
import type { LogQuery } from "#contract/logs.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentRecord } from "#worker/db/deployment-records.ts";
import { findDeployment } from "#worker/db/find-deployment.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { readLog } from "#worker/logs/read-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { lineOfCursor } from "#worker/operations/log-cursor.ts";

/** The whole log so far, or what follows the cursor, some lines at a time; read as they are asked for. */
export async function readDeploymentLog(
  context: Context,
  id: DeploymentId,
  { cursor }: LogQuery,
): Promise<Result<AsyncIterable<readonly StoredLine[]>, "not_found" | "invalid_request">> {
  const after = lineOfCursor(cursor);
  if (!after.ok) return after;
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return refuse("not_found", `There is no deployment ${id}.`);
  return succeed(linesFrom(context, deployment, after.value + 1));
}

/** A deployment's log from a line on, as it stands. */
export function linesFrom(
  context: Context,
  { id: deploymentId, projectId, status }: Pick<DeploymentRecord, "id" | "projectId" | "status">,
  fromLine: number,
): AsyncIterable<readonly StoredLine[]> {
  const places = {
    store: new LogStore(context.logs),
    owner: { accountId: context.account.id, projectId, deploymentId },
    unfinished: async (line: number) =>
      await context.lanes.getByName(projectId).unfinishedLog(deploymentId, line),
  };
  return readLog(places, fromLine, status !== "building");
}
