import * as z from "zod/mini";

import { ProjectReport } from "#contract/agent-protocol.ts";
import { DeploymentId, ServerId } from "#contract/ids.ts";
import { Preset } from "#contract/endpoints/projects/schemas.ts";
import { RESTORABLE_MS } from "#domain/lane/lane.ts";

const StoredServing = z.strictObject({
  serverId: ServerId,
  report: z.strictObject({
    servingRelease: z.nullable(z.int()),
    servingCheckedAt: z.number(),
    url: z.nullable(z.string()),
  }),
});
type StoredServing = z.infer<typeof StoredServing>;

/** Of how many deployments the lane knows that they were deleted. */
const MAX_KNOWN = 1_000;

/** A server that was found to serve another release than it should. */
const ReportedServing = z.strictObject({ serverId: ServerId, report: ProjectReport });
export type FoundServing = z.infer<typeof ReportedServing>;

/**
 * What D1, R2 and the agents must be told besides the deployments themselves, in the object's own SQLite until it is done. All
 * methods are synchronous.
 */
export class LaneOutbox {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS serving (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    );
    sql.exec(
      "CREATE TABLE IF NOT EXISTS detected (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    );
    sql.exec("CREATE TABLE IF NOT EXISTS corrections (server_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS removals (id TEXT PRIMARY KEY, record_gone INTEGER NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS deleted (id TEXT PRIMARY KEY, at INTEGER NOT NULL)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS project_removal (id INTEGER PRIMARY KEY CHECK (id = 1), records_gone INTEGER NOT NULL)",
    );
  }

  /** What the server serves, until D1 knows it. @param now Unix milliseconds */
  noteServing(serverId: ServerId, { release, url }: ProjectReport, now: number): void {
    const report = { servingRelease: release, servingCheckedAt: now, url };
    const json = JSON.stringify({ serverId, report } satisfies StoredServing);
    this.#sql.exec(
      "INSERT INTO serving (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
      json,
    );
  }

  /** What D1 has not been told of what the server serves. */
  unwrittenServing(): StoredServing | null {
    const [row] = this.#sql.exec<{ json: string }>("SELECT json FROM serving").toArray();
    return row === undefined ? null : StoredServing.parse(JSON.parse(row.json));
  }

  noteServingWritten({ report }: StoredServing): void {
    this.#sql.exec(
      "DELETE FROM serving WHERE json ->> '$.report.servingCheckedAt' <= ?",
      report.servingCheckedAt,
    );
  }

  /** What the framework says of the project's files, until D1 knows it. */
  noteDetected(preset: Preset): void {
    this.#sql.exec(
      "INSERT INTO detected (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
      JSON.stringify(preset),
    );
  }

  unwrittenDetected(): Preset | null {
    const [row] = this.#sql.exec<{ json: string }>("SELECT json FROM detected").toArray();
    return row === undefined ? null : Preset.parse(JSON.parse(row.json));
  }

  noteDetectedWritten(preset: Preset): void {
    this.#sql.exec("DELETE FROM detected WHERE json = ?", JSON.stringify(preset));
  }

  /**
   * What a server has just said that it serves, in place of what it said before.
   * @param isWrong whether it must be told to serve another release, as soon as nothing of the project runs there
   */
  noteReported(found: FoundServing, isWrong: boolean): void {
    if (!isWrong) return void this.#sql.exec("DELETE FROM corrections WHERE server_id = ?", found.serverId);
    this.#sql.exec(
      "INSERT INTO corrections (server_id, json) VALUES (?, ?) ON CONFLICT (server_id) DO UPDATE SET json = excluded.json",
      found.serverId,
      JSON.stringify(ReportedServing.parse(found)),
    );
  }

  /** What servers have said that serve another release than they should. */
  corrections(): FoundServing[] {
    const rows = this.#sql.exec<{ json: string }>("SELECT json FROM corrections").toArray();
    return rows.map(({ json }) => ReportedServing.parse(JSON.parse(json)));
  }

  noteCorrected(found: FoundServing): void {
    this.#sql.exec("DELETE FROM corrections WHERE json = ?", JSON.stringify(found));
  }

  /** Has the record and then the log of a deployment removed; again, if more was written since. @param now Unix milliseconds */
  addRemoval(id: DeploymentId, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO deleted (id, at) VALUES (?, ?)", id, now);
    this.#sql.exec(
      "DELETE FROM deleted WHERE at < ? OR id NOT IN (SELECT id FROM deleted ORDER BY at DESC LIMIT ?)",
      now - RESTORABLE_MS,
      MAX_KNOWN,
    );
    this.#sql.exec(
      "INSERT INTO removals (id, record_gone) VALUES (?, 0) ON CONFLICT (id) DO UPDATE SET record_gone = 0",
      id,
    );
  }

  /** The deployments that were deleted lately. */
  deleted(): DeploymentId[] {
    const rows = this.#sql.exec<{ id: string }>("SELECT id FROM deleted").toArray();
    return rows.map(({ id }) => DeploymentId.parse(id));
  }

  /** The deployments whose record (`false`) or whose log (`true`: the record is gone already) is to be removed. */
  removals(recordGone: boolean): DeploymentId[] {
    const rows = this.#sql
      .exec<{ id: string }>("SELECT id FROM removals WHERE record_gone = ?", recordGone ? 1 : 0)
      .toArray();
    return rows.map(({ id }) => DeploymentId.parse(id));
  }

  noteRecordGone(id: DeploymentId): void {
    this.#sql.exec("UPDATE removals SET record_gone = 1 WHERE id = ?", id);
  }

  noteRemoved(id: DeploymentId): void {
    this.#sql.exec("DELETE FROM removals WHERE id = ? AND record_gone = 1", id);
  }

  /** Has the project's records and then all its logs removed; nothing else of it is to be told to anybody. */
  addProjectRemoval(): void {
    for (const table of ["serving", "detected", "corrections", "removals", "deleted"])
      this.#sql.exec(`DELETE FROM ${table}`);
    this.#sql.exec(
      "INSERT INTO project_removal (id, records_gone) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET records_gone = 0",
    );
  }

  /** What of the project is to be removed next; null: nothing, or no more. */
  projectRemoval(): "records" | "logs" | null {
    const [row] = this.#sql
      .exec<{ records_gone: number }>("SELECT records_gone FROM project_removal")
      .toArray();
    if (row === undefined) return null;
    return row.records_gone === 0 ? "records" : "logs";
  }

  noteProjectRecordsGone(): void {
    this.#sql.exec("UPDATE project_removal SET records_gone = 1");
  }

  noteProjectRemoved(): void {
    this.#sql.exec("DELETE FROM project_removal WHERE records_gone = 1");
  }
}
