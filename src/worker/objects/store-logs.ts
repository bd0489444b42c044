import type { DeploymentId } from "#contract/ids.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import type { LaneOutbox } from "#worker/objects/lane-outbox.ts";
import type { LaneOwner, LaneStore } from "#worker/objects/lane-store.ts";
import type { LogBuffer } from "#worker/objects/log-buffer.ts";

type Parts = {
  env: Env;
  storage: DurableObjectStorage;
  store: LaneStore;
  outbox: LaneOutbox;
  logs: LogBuffer;
  now: () => number;
};

/** R2 loses the logs of deleted deployments, and gets the parts that are due and the whole of each log that has ended. */
export async function storeLogs(parts: Parts): Promise<void> {
  const { store, outbox, logs, now } = parts;
  const owner = store.owner();
  if (owner === null) return;
  if (outbox.projectRemoval() === "logs") await deleteAllLogs(parts, owner);
  for (const id of outbox.removals(true)) await deleteLog(parts, owner, id);
  for (const { id, ended } of logs.due(now())) {
    await (ended ? storeWhole(parts, owner, id) : storePart(parts, owner, id));
  }
}

async function deleteAllLogs({ outbox, logs, storage, env }: Parts, owner: LaneOwner): Promise<void> {
  storage.transactionSync(() => logs.forgetAll());
  await new LogStore(env.LOGS).deleteProject(owner);
  storage.transactionSync(() => outbox.noteProjectRemoved());
}

async function deleteLog(
  { outbox, logs, storage, env }: Parts,
  lane: LaneOwner,
  deploymentId: DeploymentId,
): Promise<void> {
  storage.transactionSync(() => logs.forget(deploymentId));
  await new LogStore(env.LOGS).deleteAll({ ...lane, deploymentId });
  storage.transactionSync(() => outbox.noteRemoved(deploymentId));
}

async function storePart(
  { logs, storage, env, now }: Parts,
  lane: LaneOwner,
  deploymentId: DeploymentId,
): Promise<void> {
  const { buffered } = logs.read(deploymentId);
  const [first] = buffered;
  if (first === undefined) return;
  const ndjson = buffered.map((chunk) => chunk.ndjson).join("");
  await new LogStore(env.LOGS).putPart({ ...lane, deploymentId }, first.firstLine, ndjson);
  storage.transactionSync(() => logs.noteFlushed(deploymentId, buffered, now()));
}

async function storeWhole(
  { logs, storage, env }: Parts,
  lane: LaneOwner,
  deploymentId: DeploymentId,
): Promise<void> {
  const { parts, buffered } = logs.read(deploymentId);
  const owner = { ...lane, deploymentId };
  const logStore = new LogStore(env.LOGS);
  // Found on a second try: the whole log was written, and the first try was cut off while its parts went.
  const isStored = parts.length > 0 && (await logStore.hasWhole(owner));
  if (!isStored) {
    const stored: string[] = [];
    for (const firstLine of parts) stored.push((await logStore.getPart(owner, firstLine)) ?? "");
    await logStore.putWhole(owner, [...stored, ...buffered.map((chunk) => chunk.ndjson)]);
  }
  await logStore.deleteParts(owner, parts);
  storage.transactionSync(() => logs.forget(deploymentId));
}
