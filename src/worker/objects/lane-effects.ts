import type { DeploymentId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteProjectRecords } from "#worker/db/delete-project.ts";
import { deleteDeploymentRecord, writeDeployments } from "#worker/db/deployment-records.ts";
import { setFound } from "#worker/db/set-found.ts";
import { setServing } from "#worker/db/server-presence.ts";
import { DatabaseSession } from "#worker/db/session.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import type { LaneOwner, LaneStore } from "#worker/objects/lane-store.ts";
import { coalesced } from "#worker/objects/coalesced.ts";
import { tellAgents } from "#worker/objects/tell-agents.ts";
import type { LaneOutbox } from "#worker/objects/lane-outbox.ts";
import type { LogBuffer } from "#worker/objects/log-buffer.ts";

type Parts = {
  env: Env;
  storage: DurableObjectStorage;
  store: LaneStore;
  outbox: LaneOutbox;
  logs: LogBuffer;
  now: () => number;
};

/**
 * Carries the lane's saved state to where it must be known: D1, the agent, R2. Each job reads what is left to do from
 * storage, does it, and notes it; so it can be cut off anywhere and done again. A job that fails is logged and counted,
 * and left for the alarm.
 */
export class LaneEffects {
  readonly #parts: Parts;
  /** Writes changed deployments to D1, and removes deleted ones. */
  readonly writeRecords: () => Promise<void>;
  readonly tellAgent: () => Promise<void>;
  readonly storeLogs: () => Promise<void>;
  /** How many times in a row each job has failed. */
  #bookmark: string | null = null;
  readonly #failures = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.writeRecords = coalesced(() => this.#attempt("write records", () => this.#writeRecords()));
    this.tellAgent = coalesced(() => this.#attempt("tell agent", () => tellAgents(parts)));
    this.storeLogs = coalesced(() => this.#attempt("store logs", () => this.#storeLogs()));
  }

  /** How many times in a row the job that is worst off has failed. */
  get failures(): number {
    return Math.max(0, ...this.#failures.values());
  }

  /** From where on D1 has all that was written last; null before the first write of this instance. */
  get bookmark(): string | null {
    return this.#bookmark;
  }

  /** Everything that is due now. */
  async all(): Promise<void> {
    await Promise.all([this.writeRecords(), this.tellAgent()]);
    await this.storeLogs();
  }

  /** Whether something is left that D1 or R2 must be told. */
  isPending(): boolean {
    const { store, outbox } = this.#parts;
    return (
      outbox.projectRemoval() !== null ||
      store.unwritten().length > 0 ||
      outbox.unwrittenServing() !== null ||
      outbox.unwrittenFound() !== null ||
      outbox.removals(false).length > 0 ||
      outbox.removals(true).length > 0
    );
  }

  async #attempt(what: string, job: () => Promise<void>): Promise<void> {
    try {
      await job();
      this.#failures.delete(what);
    } catch (error) {
      const failures = (this.#failures.get(what) ?? 0) + 1;
      this.#failures.set(what, failures);
      const message = error instanceof Error ? error.message : String(error);
      console.error(
        JSON.stringify({
          level: "error",
          at: "lane",
          what,
          project_id: this.#parts.store.owner()?.projectId,
          failures,
          message,
        }),
      );
    }
  }

  /** D1 gets the deployments that changed, and loses those that were deleted, or the whole project. */
  async #writeRecords(): Promise<void> {
    const { store, outbox, storage, env } = this.#parts;
    const owner = store.owner();
    if (owner === null) return;
    const session = new DatabaseSession(env.DB, "first-primary");
    const rows = new AccountRows(session.database, owner.accountId);
    if (outbox.projectRemoval() === "records") {
      await deleteProjectRecords(rows, owner.projectId);
      storage.transactionSync(() => outbox.noteProjectRecordsGone());
    }
    const records = store.unwritten();
    if (records.length > 0) {
      await writeDeployments(rows, owner.projectId, records);
      storage.transactionSync(() => store.noteWritten(records));
    }
    // After the records: they say which server's word on it counts.
    const serving = outbox.unwrittenServing();
    if (serving !== null) {
      await setServing(rows, serving.serverId, owner.projectId, serving.report);
      storage.transactionSync(() => outbox.noteServingWritten(serving));
    }
    const found = outbox.unwrittenFound();
    if (found !== null) {
      await setFound(rows, owner.projectId, found);
      storage.transactionSync(() => outbox.noteFoundWritten(found));
    }
    for (const id of outbox.removals(false)) {
      await deleteDeploymentRecord(rows, id);
      storage.transactionSync(() => outbox.noteRecordGone(id));
    }
    this.#bookmark = session.bookmark() ?? this.#bookmark;
  }

  /** R2 loses the logs of deleted deployments, and gets the parts that are due and the whole of each log that has ended. */
  async #storeLogs(): Promise<void> {
    const { store, outbox, logs, now } = this.#parts;
    const owner = store.owner();
    if (owner === null) return;
    if (outbox.projectRemoval() === "logs") await this.#deleteAllLogs(owner);
    for (const id of outbox.removals(true)) await this.#deleteLog(owner, id);
    for (const { id, ended } of logs.due(now())) {
      await (ended ? this.#storeWhole(owner, id) : this.#storePart(owner, id));
    }
  }

  async #deleteAllLogs(owner: LaneOwner): Promise<void> {
    const { outbox, logs, storage, env } = this.#parts;
    storage.transactionSync(() => logs.forgetAll());
    await new LogStore(env.LOGS).deleteProject(owner);
    storage.transactionSync(() => outbox.noteProjectRemoved());
  }

  async #deleteLog(lane: LaneOwner, deploymentId: DeploymentId): Promise<void> {
    const { outbox, logs, storage, env } = this.#parts;
    storage.transactionSync(() => logs.forget(deploymentId));
    await new LogStore(env.LOGS).deleteAll({ ...lane, deploymentId });
    storage.transactionSync(() => outbox.noteRemoved(deploymentId));
  }

  async #storePart(lane: LaneOwner, deploymentId: DeploymentId): Promise<void> {
    const { logs, storage, env, now } = this.#parts;
    const { buffered } = logs.read(deploymentId);
    const [first] = buffered;
    if (first === undefined) return;
    const ndjson = buffered.map((chunk) => chunk.ndjson).join("");
    await new LogStore(env.LOGS).putPart({ ...lane, deploymentId }, first.firstLine, ndjson);
    storage.transactionSync(() => logs.noteFlushed(deploymentId, buffered, now()));
  }

  async #storeWhole(lane: LaneOwner, deploymentId: DeploymentId): Promise<void> {
    const { logs, storage, env } = this.#parts;
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
}
