import type { DeploymentId } from "#contract/ids.ts";
import { DEFAULT_LOG_PAGE, type LogLine, type LogPage, type LogQuery } from "#contract/logs.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/find-deployment.ts";
import type { DeploymentRecord } from "#worker/db/deployment-records.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { parseLines, readLog } from "#worker/logs/read-log.ts";

/** A cursor of a log: the last line that was read. */
const CURSOR = /^line:(\d{1,9})$/;

/**
 * A page of a deployment's log. While more lines can come, `next_cursor` is never null, so that a client goes on
 * asking with it; once the deployment has ended, null says that this was all.
 */
export async function getDeploymentLog(
  context: Context,
  id: DeploymentId,
  query: LogQuery,
): Promise<Result<LogPage, "not_found" | "invalid_request">> {
  const after = query.cursor === undefined ? 0 : Number(CURSOR.exec(atobOrEmpty(query.cursor))?.[1] ?? NaN);
  if (Number.isNaN(after)) {
    const pointer = "?cursor";
    return refuse("invalid_request", "The cursor is not one of this list.", [
      { pointer, message: "is not a cursor of a log" },
    ]);
  }
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return refuse("not_found", `There is no deployment ${id}.`);
  const limit = query.limit ?? DEFAULT_LOG_PAGE;
  const lines: LogLine[] = [];
  let hasMore = false;
  for await (const line of logLines(context, deployment, after + 1)) {
    hasMore = lines.length === limit;
    if (hasMore) break;
    lines.push(line);
  }
  const last = lines.at(-1)?.line ?? after;
  const next_cursor = hasMore || deployment.status === "building" ? btoa(`line:${last}`) : null;
  return succeed({ deployment_id: id, status: deployment.status, lines, next_cursor });
}

/** The whole log as text, a line each: the time, the stage, the message. It is read from R2 as the client takes it. */
export async function getDeploymentLogText(
  context: Context,
  id: DeploymentId,
): Promise<Result<ReadableStream<Uint8Array>, "not_found">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return refuse("not_found", `There is no deployment ${id}.`);
  const lines = logLines(context, deployment, 1);
  const encoder = new TextEncoder();
  const text = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await lines.next();
      if (next.done === true) return controller.close();
      const { time, stage, message } = next.value;
      controller.enqueue(encoder.encode(`${time} ${stage.padEnd(8)} ${message}\n`));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  return succeed(text);
}

async function* logLines(
  context: Context,
  deployment: DeploymentRecord,
  fromLine: number,
): AsyncGenerator<LogLine> {
  const { id: deploymentId, projectId } = deployment;
  const owner = { accountId: context.account.id, projectId, deploymentId };
  const lane = context.lanes.getByName(projectId);
  const chunks = readLog(
    new LogStore(context.logs),
    owner,
    fromLine,
    async () => await lane.unfinishedLog(deploymentId),
  );
  for await (const line of parseLines(chunks)) if (line.line >= fromLine) yield line;
}

function atobOrEmpty(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
