import type { DeploymentId } from "#contract/ids.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";

/**
 * Deletes the logs of deleted deployments from R2, writes parts that are large enough, and completes logs that have
 * ended. If one log fails, the others are stored first; then the first error is thrown.
 */
export async function storeLogs(parts: LaneContext): Promise<void> {
  const { store, outbox, logs } = parts;
  const owner = store.owner();
  if (owner === null) return;
  if (outbox.projectRemoval() === "logs") await deleteAllLogs(parts, owner);
  for (const id of outbox.removals(true)) await deleteLog(parts, owner, id);
  const errors: unknown[] = [];
  for (const { id, ended } of logs.due()) {
    try {
      if (ended) await storeWhole(parts, owner, id);
      else while (logs.isPartDue(id)) await storePart(parts, owner, id);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function deleteAllLogs(parts: LaneContext, owner: LaneOwner): Promise<void> {
  const { outbox, logs, storage, env } = parts;
  await abortUploads(parts, owner, null);
  storage.transactionSync(() => logs.forgetAll());
  await new LogStore(env.LOGS).deleteProject(owner);
  await new ArtifactStore(env.LOGS).deleteProject(owner.projectId);
  storage.transactionSync(() => outbox.noteProjectRemoved());
}

async function deleteLog(parts: LaneContext, lane: LaneOwner, deploymentId: DeploymentId): Promise<void> {
  const { outbox, logs, storage, env } = parts;
  await abortUploads(parts, lane, deploymentId);
  storage.transactionSync(() => logs.forget(deploymentId));
  await new LogStore(env.LOGS).deleteAll({ ...lane, deploymentId });
  storage.transactionSync(() => outbox.noteRemoved(deploymentId));
}

/** @returns whether there was anything to store */
async function storePart(
  { logs, storage, env }: LaneContext,
  lane: LaneOwner,
  deploymentId: DeploymentId,
): Promise<boolean> {
  const chunks = logs.nextPart(deploymentId);
  const [first] = chunks;
  if (first === undefined) return false;
  const ndjson = chunks.map((chunk) => chunk.ndjson).join("");
  await new LogStore(env.LOGS).putPart({ ...lane, deploymentId }, first.firstLine, ndjson);
  storage.transactionSync(() => logs.noteFlushed(deploymentId, chunks));
  return true;
}

async function storeWhole(parts: LaneContext, lane: LaneOwner, deploymentId: DeploymentId): Promise<void> {
  const { logs, storage, env } = parts;
  const owner = { ...lane, deploymentId };
  const store = new LogStore(env.LOGS);
  await abortUploads(parts, lane, deploymentId);
  const rest = logs.unfinished(deploymentId, 1);
  if (rest !== null && rest.parts.length === 0 && rest.isAll) {
    await store.putWhole(owner, logs.nextPart(deploymentId));
  } else if (!(await store.hasWhole(owner))) {
    while (await storePart(parts, lane, deploymentId));
    const note = (uploadId: string) => storage.transactionSync(() => logs.noteUpload(deploymentId, uploadId));
    await store.putWholeOfParts(owner, logs.parts(deploymentId), { note });
  }
  await store.deleteParts(owner, logs.parts(deploymentId));
  storage.transactionSync(() => logs.forget(deploymentId));
}

/** Aborts interrupted uploads, which start again. R2 itself drops an upload whose id was not stored, after seven days. */
async function abortUploads(
  { logs, storage, env }: LaneContext,
  lane: LaneOwner,
  of: DeploymentId | null,
): Promise<void> {
  const store = new LogStore(env.LOGS);
  for (const { id, uploadId } of logs.uploads(of)) {
    await store.abortUpload({ ...lane, deploymentId: id }, uploadId);
    storage.transactionSync(() => logs.noteUpload(id, null));
  }
}
