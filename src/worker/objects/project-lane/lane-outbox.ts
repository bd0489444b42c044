import * as z from "zod/mini";

import { ProjectReport } from "#contract/agent-protocol.ts";
import { DeploymentId, ServerId } from "#contract/ids.ts";
import { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { ProcessReports } from "#contract/endpoints/processes/schemas.ts";
import { HealthReasons } from "#contract/endpoints/projects/health.ts";
import { storedAs } from "#contract/stored.ts";
import { servingReport } from "#worker/db/servers/server-presence.ts";
import { releaseReport } from "#domain/kept-report.ts";
import { RESTORABLE_MS } from "#domain/lane/lane.ts";

const StoredServing = z.strictObject({
  serverId: ServerId,
  report: z.strictObject({
    servingRelease: z.nullable(z.int()),
    servingCheckedAt: z.number(),
    url: z.nullable(z.string()),
    reportedProcesses: z.nullable(ProcessReports),
    ingressProblem: z.nullable(z.string()),
    health: HealthReasons,
  }),
});
type StoredServing = z.infer<typeof StoredServing>;
const storedServing = storedAs(StoredServing);

/**
 * The remaining rows of a deleted project. `records`: its row and its first deployments. `rest`: the other rows, after
 * the project's own row is deleted.
 */
const Removal = z.enum(["records", "rest", "logs"]);
type Removal = z.infer<typeof Removal>;

const storedPreset = storedAs(DetectedPreset);

/** How many deleted deployments the lane remembers. */
const MAX_KNOWN = 1_000;

/** A report of what a server serves. */
const ReportedServing = z.strictObject({ serverId: ServerId, report: ProjectReport });
export type ReportedServing = z.infer<typeof ReportedServing>;
const storedReport = storedAs(ReportedServing);

/**
 * Pending work for D1, R2 and the agents besides the deployments' records, in the object's own SQLite. All methods are
 * synchronous.
 */
export class LaneOutbox {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS servings (server_id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID",
    );
    sql.exec("CREATE TABLE IF NOT EXISTS site (id INTEGER PRIMARY KEY CHECK (id = 1), url TEXT)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS detected (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    );
    sql.exec(
      "CREATE TABLE IF NOT EXISTS detected_before (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    );
    sql.exec(
      "CREATE TABLE IF NOT EXISTS repository_read (id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL)",
    );
    sql.exec("CREATE TABLE IF NOT EXISTS corrections (server_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS removals (id TEXT PRIMARY KEY, record_gone INTEGER NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS deleted (id TEXT PRIMARY KEY, at INTEGER NOT NULL)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS project_removal (id INTEGER PRIMARY KEY CHECK (id = 1), next TEXT NOT NULL)",
    );
  }

  /**
   * Queues what a server serves for D1.
   * @param isFirst whether it is the first server of the project
   * @param now Unix milliseconds
   */
  noteServing(serverId: ServerId, reported: ProjectReport, isFirst: boolean, now: number): void {
    const report = servingReport(reported, now);
    const json = JSON.stringify({ serverId, report } satisfies StoredServing);
    this.#sql.exec("INSERT OR REPLACE INTO servings (server_id, json) VALUES (?, ?)", serverId, json);
    if (!isFirst || report.url === this.siteUrl()) return;
    this.#sql.exec("INSERT OR REPLACE INTO site (id, url) VALUES (1, ?)", report.url);
  }

  /** Where the site was served when the last run ended; null: unknown. */
  siteUrl(): string | null {
    return this.#sql.exec<{ url: string | null }>("SELECT url FROM site").toArray()[0]?.url ?? null;
  }

  /** What the servers serve, if it is not in D1 yet. */
  unwrittenServings(): StoredServing[] {
    const rows = this.#sql.exec<{ json: string }>("SELECT json FROM servings").toArray();
    return rows.map(({ json }) => storedServing.parse(JSON.parse(json)));
  }

  noteServingsWritten(written: readonly StoredServing[]): void {
    for (const { serverId, report } of written)
      this.#sql.exec(
        "DELETE FROM servings WHERE server_id = ? AND json ->> '$.report.servingCheckedAt' <= ?",
        serverId,
        report.servingCheckedAt,
      );
  }

  /** Queues the settings of the detected framework for D1. */
  noteDetected(preset: DetectedPreset): void {
    this.#sql.exec(
      "INSERT INTO detected (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
      JSON.stringify(preset),
    );
  }

  /**
   * The detected settings that are not in D1 yet. If they are the same as those written before, they can wait for the
   * end of the run, which writes the project's row anyway. @param always also returns settings that can wait
   */
  unwrittenDetected(always: boolean): DetectedPreset | null {
    const [row] = this.#sql
      .exec<{ json: string }>(
        "SELECT json FROM detected WHERE ? OR json NOT IN (SELECT json FROM detected_before)",
        always ? 1 : 0,
      )
      .toArray();
    return row === undefined ? null : storedPreset.parse(JSON.parse(row.json));
  }

  noteDetectedWritten(preset: DetectedPreset): void {
    const json = JSON.stringify(preset);
    this.#sql.exec("DELETE FROM detected WHERE json = ?", json);
    this.#sql.exec(
      "INSERT INTO detected_before (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json WHERE json <> excluded.json",
      json,
    );
  }

  /** Queues for D1 that the server has read a repository. @param key of the repository (`repositoryKey`) */
  noteRepositoryRead(key: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO repository_read (id, key) VALUES (1, ?)", key);
  }

  /** The key of the repository that the server has read, if D1 does not have it yet. It is written at the end of the run. */
  unwrittenRepositoryRead(): string | null {
    return this.#sql.exec<{ key: string }>("SELECT key FROM repository_read").toArray()[0]?.key ?? null;
  }

  noteRepositoryReadWritten(key: string): void {
    this.#sql.exec("DELETE FROM repository_read WHERE key = ?", key);
  }

  /**
   * Saves a report of what a server serves, replacing its earlier report.
   * @param isWrong whether the server must serve another release, as soon as no run of the project is active
   */
  noteReported(reported: ReportedServing, isWrong: boolean): void {
    if (!isWrong)
      return void this.#sql.exec("DELETE FROM corrections WHERE server_id = ?", reported.serverId);
    this.#sql.exec(
      "INSERT INTO corrections (server_id, json) VALUES (?, ?) ON CONFLICT (server_id) DO UPDATE SET json = excluded.json",
      reported.serverId,
      JSON.stringify({ ...reported, report: releaseReport(reported.report) } satisfies ReportedServing),
    );
  }

  /** The reports of servers that serve the wrong release. */
  corrections(): ReportedServing[] {
    const rows = this.#sql.exec<{ json: string }>("SELECT json FROM corrections").toArray();
    return rows.map(({ json }) => storedReport.parse(JSON.parse(json)));
  }

  noteCorrected(reported: ReportedServing): void {
    this.#sql.exec("DELETE FROM corrections WHERE json = ?", JSON.stringify(reported));
  }

  /** Queues the removal of a deployment's record and then its log, also if an earlier removal is done. @param now Unix milliseconds */
  addRemoval(id: DeploymentId, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO deleted (id, at) VALUES (?, ?)", id, now);
    // Reads only the oldest rows, and deletes more rows than are added.
    this.#sql.exec(
      `DELETE FROM deleted WHERE rowid IN (SELECT rowid FROM deleted ORDER BY rowid LIMIT 10)
       AND (at < ? OR rowid <= (SELECT max(rowid) FROM deleted) - ?)`,
      now - RESTORABLE_MS,
      MAX_KNOWN,
    );
    this.#sql.exec(
      "INSERT INTO removals (id, record_gone) VALUES (?, 0) ON CONFLICT (id) DO UPDATE SET record_gone = 0",
      id,
    );
  }

  /** Whether the deployment was deleted recently. */
  isDeleted(id: DeploymentId): boolean {
    return this.#sql.exec("SELECT 1 FROM deleted WHERE id = ?", id).toArray().length > 0;
  }

  /** The deployments that were deleted recently. */
  deleted(): DeploymentId[] {
    const rows = this.#sql.exec<{ id: string }>("SELECT id FROM deleted").toArray();
    return rows.map(({ id }) => DeploymentId.parse(id));
  }

  /** The deployments to remove. `false`: their records are next. `true`: their records are removed, and their logs are next. */
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

  /** Queues the removal of the project's records and then of all its logs. Discards all other pending work. */
  addProjectRemoval(): void {
    for (const table of [
      "servings",
      "site",
      "detected",
      "detected_before",
      "repository_read",
      "corrections",
      "removals",
      "deleted",
    ])
      this.#sql.exec(`DELETE FROM ${table}`);
    this.#sql.exec("INSERT OR REPLACE INTO project_removal (id, next) VALUES (1, 'records')");
  }

  /** What to remove next of a deleted project; null: nothing. */
  projectRemoval(): Removal | null {
    const [row] = this.#sql.exec<{ next: string }>("SELECT next FROM project_removal").toArray();
    return row === undefined ? null : Removal.parse(row.next);
  }

  /** The project's row is deleted. @param isAll whether all other rows are too */
  noteProjectRecordsGone(isAll: boolean): void {
    this.#sql.exec("UPDATE project_removal SET next = ?", (isAll ? "logs" : "rest") satisfies Removal);
  }

  noteProjectRemoved(): void {
    this.#sql.exec("DELETE FROM project_removal WHERE next = 'logs'");
  }
}
