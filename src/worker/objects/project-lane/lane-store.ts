import * as z from "zod/mini";

import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { AccountId, DeploymentId, ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import { KnownFreezes, noFreezes } from "#domain/freezes/project-freezes.ts";
import { Placement, type LaneDeployment, type Lane } from "#domain/lane/lane.ts";
import { discardable } from "#domain/lane/transitions.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { KEY_COUNTS_MS } from "#worker/db/idempotency-keys.ts";
import { recordOf } from "#worker/objects/project-lane/deployment-record.ts";
import { fromStored, storedDeployment, toStored } from "#worker/objects/project-lane/stored-deployment.ts";
import {
  livePlanOf,
  StoredPlans,
  withLivePlan,
  withoutLivePlan,
} from "#worker/objects/project-lane/stored-plans.ts";

/** The lane's account and project. Stored with the lane, because an object that its alarm wakes does not know its name. */
const LaneOwner = z.strictObject({ accountId: AccountId, projectId: ProjectId });
export type LaneOwner = z.infer<typeof LaneOwner>;

const StoredLane = z.strictObject({
  nextVersion: z.int(),
  owner: LaneOwner,
  placements: z.array(Placement),
  deletedAt: z.nullable(z.number()),
  freezes: KnownFreezes,
});
type StoredLane = z.infer<typeof StoredLane>;
const storedLane = storedAs(StoredLane);

type DeploymentRow = { json: string; variables: string | null; plan: number | null };

/**
 * The lane in the object's own SQLite. A row whose revision is above its written revision is not up to date in D1. All
 * methods are synchronous, so that a decision and its save are one turn.
 */
export class LaneStore {
  readonly #sql: SqlStorage;
  readonly #plans: StoredPlans;
  #cached: { lane: Lane; owner: LaneOwner | null } | null = null;
  /** The revisions of the rows that are not up to date in D1, by id. */
  #unwritten: ReadonlyMap<string, number> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS lane (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)");
    sql.exec(`CREATE TABLE IF NOT EXISTS deployments (
      id TEXT PRIMARY KEY, version INTEGER NOT NULL, json TEXT NOT NULL, variables TEXT, plan INTEGER,
      revision INTEGER NOT NULL, written_revision INTEGER NOT NULL)`);
    this.#plans = new StoredPlans(sql);
    sql.exec(
      "CREATE TABLE IF NOT EXISTS accepted (request_key TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL)",
    );
  }

  /** Whether this storage contains a lane. */
  static isIn(sql: SqlStorage): boolean {
    return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lane'").toArray().length > 0;
  }

  load(): Lane {
    return this.#load().lane;
  }

  /** null before the first start. */
  owner(): LaneOwner | null {
    return this.#load().owner;
  }

  #load() {
    if (this.#cached !== null) return this.#cached;
    const [row] = this.#sql.exec<{ json: string }>("SELECT json FROM lane").toArray();
    const stored = row === undefined ? null : storedLane.parse(parseJson(row.json));
    const rows = this.#sql
      .exec<DeploymentRow>("SELECT json, variables, plan FROM deployments ORDER BY version")
      .toArray();
    const plans = this.#plans.load();
    const deployments = rows.map(({ json, variables, plan }) => {
      const deployment = storedDeployment.parse({
        ...JSON.parse(json),
        variables: variables === null ? null : parseJson(variables),
      });
      const loaded = fromStored(deployment);
      return plan === null ? loaded : withLivePlan(loaded, plans.get(plan) ?? null);
    });
    this.#cached = {
      lane: {
        nextVersion: stored?.nextVersion ?? 1,
        deployments,
        placements: stored?.placements ?? [],
        deletedAt: stored?.deletedAt ?? null,
        freezes: stored?.freezes ?? noFreezes,
      },
      owner: stored?.owner ?? null,
    };
    return this.#cached;
  }

  /** Call this inside a transaction. If the transaction is rolled back, call `forgetCache`. */
  save(next: Lane, owner: LaneOwner): void {
    const before = this.load();
    const known = new Map(before.deployments.map((one) => [one.id, one]));
    for (const deployment of next.deployments) {
      const old = known.get(deployment.id);
      known.delete(deployment.id);
      if (old !== deployment) this.#saveDeployment(deployment, old ?? null, owner);
    }
    for (const id of known.keys()) {
      this.#sql.exec("DELETE FROM deployments WHERE id = ?", id);
      this.#unwritten = null;
    }
    const { nextVersion, placements, deletedAt, freezes } = next;
    const isSame =
      nextVersion === before.nextVersion &&
      placements === before.placements &&
      deletedAt === before.deletedAt &&
      freezes === before.freezes;
    if (!isSame || this.owner() === null) {
      const json = JSON.stringify({
        nextVersion,
        owner,
        placements: [...placements],
        deletedAt,
        freezes,
      } satisfies StoredLane);
      this.#sql.exec(
        "INSERT INTO lane (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
        json,
      );
    }
    this.#cached = { lane: next, owner };
  }

  forgetCache(): void {
    this.#plans.forget();
    this.#cached = null;
    this.#unwritten = null;
  }

  /** Saves the history that was taken over from D1. `revisions` are the revisions in D1, by id. Call it as `save`. */
  saveTakenOver(next: Lane, owner: LaneOwner, revisions: ReadonlyMap<string, number>): void {
    this.save(next, owner);
    this.#unwritten = null;
    for (const { id } of next.deployments) {
      const revision = revisions.get(id) ?? 0;
      this.#sql.exec(
        "UPDATE deployments SET revision = ?, written_revision = ? WHERE id = ?",
        revision,
        revision,
        id,
      );
    }
  }

  #saveDeployment(deployment: LaneDeployment, old: LaneDeployment | null, { projectId }: LaneOwner): void {
    const record = (of: LaneDeployment) => JSON.stringify(recordOf(of, projectId));
    const isChanged = old === null || record(old) !== record(deployment);
    const { variables, ...stored } = toStored(deployment);
    const plan = livePlanOf(deployment.state);
    this.#sql.exec(
      `INSERT INTO deployments (id, version, json, variables, plan, revision, written_revision) VALUES (?, ?, ?, ?, ?, 1, 0)
       ON CONFLICT (id) DO UPDATE SET json = excluded.json, variables = excluded.variables, plan = excluded.plan,
         revision = revision + ?`,
      deployment.id,
      deployment.version,
      JSON.stringify(withoutLivePlan(stored)),
      variables === null ? null : JSON.stringify(variables),
      plan === null ? null : this.#plans.idOf(plan),
      isChanged ? 1 : 0,
    );
    // Most reports of an agent do not change the record. Without this cache, each of them would read all rows.
    if (isChanged) this.#unwritten = null;
  }

  /** The records that are not up to date in D1, without records of deleted deployments. */
  unwritten(): DeploymentRecord[] {
    this.#unwritten ??= this.#revisionsWhere("revision > written_revision");
    return this.#recordsOf(this.#unwritten);
  }

  /** The records whose current revision was written to D1, in the order of their versions. */
  written(): DeploymentRecord[] {
    return this.#recordsOf(this.#revisionsWhere("revision = written_revision"));
  }

  #revisionsWhere(
    condition: "revision > written_revision" | "revision = written_revision",
  ): ReadonlyMap<string, number> {
    const rows = this.#sql
      .exec<{ id: string; revision: number }>(`SELECT id, revision FROM deployments WHERE ${condition}`)
      .toArray();
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  #recordsOf(revisions: ReadonlyMap<string, number>): DeploymentRecord[] {
    const { lane, owner } = this.#load();
    if (revisions.size === 0 || owner === null) return [];
    return lane.deployments.flatMap((deployment) => {
      const revision = revisions.get(deployment.id);
      if (revision === undefined || deployment.deleted) return [];
      return [{ ...recordOf(deployment, owner.projectId), revision }];
    });
  }

  /**
   * Marks a record to be written to D1 again, unless it changed in the meantime.
   * @param revision the record's revision in D1; 0: D1 does not have it
   */
  writeAgain(record: DeploymentRecord, revision: number): void {
    this.#unwritten = null;
    this.#sql.exec(
      "UPDATE deployments SET revision = max(revision, ?) + 1 WHERE id = ? AND revision = ?",
      revision,
      record.id,
      record.revision,
    );
  }

  /**
   * Records which deployments were written to D1, and drops deployments that are up to date there and that no decision
   * needs.
   */
  noteWritten(records: readonly DeploymentRecord[]): void {
    if (records.length > 0) this.#unwritten = null;
    for (const { id, revision } of records) {
      this.#sql.exec(
        "UPDATE deployments SET written_revision = ? WHERE id = ? AND written_revision < ?",
        revision,
        id,
        revision,
      );
    }
    const lane = this.load();
    const gone = new Set<string>();
    for (const { id } of discardable(lane)) {
      const deleted = this.#sql.exec(
        "DELETE FROM deployments WHERE id = ? AND revision = written_revision",
        id,
      );
      if (deleted.rowsWritten > 0) gone.add(id);
    }
    if (gone.size === 0 || this.#cached === null) return;
    const deployments = lane.deployments.filter((one) => !gone.has(one.id));
    this.#cached = { ...this.#cached, lane: { ...lane, deployments } };
  }

  /** What the request with this key started; null if no such request is recorded. Each request has its own key. */
  acceptedBefore(requestKey: string): DeploymentStarted | null {
    const [row] = this.#sql
      .exec<{ id: string; version: number }>(
        "SELECT id, version FROM accepted WHERE request_key = ?",
        requestKey,
      )
      .toArray();
    return row === undefined
      ? null
      : { id: DeploymentId.parse(row.id), status: "building", version: row.version };
  }

  /**
   * Stores a request's key with the deployment that it started, and deletes some of the keys that are older than a day.
   */
  noteAccepted(
    requestKey: string,
    { id, version }: { id: DeploymentId; version: number },
    now: number,
  ): void {
    // Reads only the oldest rows, and deletes more rows than are added.
    this.#sql.exec(
      "DELETE FROM accepted WHERE rowid IN (SELECT rowid FROM accepted ORDER BY rowid LIMIT 10) AND at < ?",
      now - KEY_COUNTS_MS,
    );
    this.#sql.exec(
      "INSERT INTO accepted (request_key, id, version, at) VALUES (?, ?, ?, ?)",
      requestKey,
      id,
      version,
      now,
    );
  }

  /** Deletes all keys, when the project is deleted. */
  forgetAccepted(): void {
    this.#sql.exec("DELETE FROM accepted");
  }
}
