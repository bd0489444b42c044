import * as z from "zod/mini";

import { ProjectReport } from "#contract/agent-protocol.ts";
import { ProjectId, RunId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { releaseReport } from "#domain/kept-report.ts";

/** What to deliver to a lane. `runIds` is null if the agent reported the project outside a hello. */
const LaneReport = z.strictObject({
  report: z.nullable(ProjectReport),
  runIds: z.nullable(z.array(RunId)),
  saidAt: z.number(),
});
export type LaneReport = z.infer<typeof LaneReport>;
const storedReport = storedAs(LaneReport);

/** What to write to D1. `checkedAt` is in Unix milliseconds. */
const Serving = z.strictObject({ report: ProjectReport, checkedAt: z.number() });
export type Serving = z.infer<typeof Serving>;
const storedServing = storedAs(Serving);

type Table = "said" | "serving";

/** The part of a hello that is about projects. */
export type ProjectHello = {
  readonly projects: readonly ProjectReport[];
  readonly runs: readonly { readonly project_id: ProjectId; readonly run_id: RunId }[];
};

/**
 * What an agent has reported and the link has not delivered yet, in the link's own storage: for each lane its part of
 * the hello, for D1 what the projects serve. All methods are synchronous; `saidAt` and `checkedAt` are Unix milliseconds.
 */
export class DeliveryQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS waiting (project_id TEXT PRIMARY KEY)");
    sql.exec("CREATE TABLE IF NOT EXISTS known (project_id TEXT PRIMARY KEY)");
    // Objects that exist already have this table by this name: it holds the lane reports.
    sql.exec("CREATE TABLE IF NOT EXISTS said (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS serving (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
  }

  /** The lane gets a call after the next hello. */
  addWaiting(projectId: ProjectId): void {
    this.#sql.exec("INSERT OR IGNORE INTO waiting (project_id) VALUES (?)", projectId);
    this.addKnown([projectId]);
  }

  /** Records that these projects are or were on this server, according to their lanes or D1. */
  addKnown(projectIds: Iterable<ProjectId>): void {
    for (const projectId of projectIds)
      this.#sql.exec("INSERT OR IGNORE INTO known (project_id) VALUES (?)", projectId);
  }

  /** Whether reports about the project are delivered. An agent can name any project, so others are ignored. */
  isKnown(projectId: ProjectId): boolean {
    const found = this.#sql.exec(
      `SELECT 1 FROM known WHERE project_id = ?1 UNION ALL SELECT 1 FROM waiting WHERE project_id = ?1
       UNION ALL SELECT 1 FROM said WHERE project_id = ?1 LIMIT 1`,
      projectId,
    );
    return found.toArray().length > 0;
  }

  /** The projects in a hello that are not recorded as known. */
  unknownIn({ projects, runs }: ProjectHello): ProjectId[] {
    const named = new Set([...projects, ...runs].map(({ project_id }) => project_id));
    return [...named].filter((projectId) => !this.isKnown(projectId));
  }

  /** The projects whose lanes have a message for the agent or a report pending. */
  waiting(): ProjectId[] {
    const rows = this.#sql.exec<{ project_id: string }>(
      "SELECT project_id FROM waiting UNION SELECT project_id FROM said",
    );
    return rows.toArray().map((row) => ProjectId.parse(row.project_id));
  }

  /** Queues a report for each lane that the hello names or that waits for the agent. */
  addHello({ projects, runs }: ProjectHello, saidAt: number): void {
    const reports = new Map(projects.map((report) => [report.project_id, report]));
    const runIds = new Map<ProjectId, RunId[]>();
    for (const { project_id, run_id } of runs)
      runIds.set(project_id, [...(runIds.get(project_id) ?? []), run_id]);
    const projectIds = new Set([...this.waiting(), ...reports.keys(), ...runIds.keys()]);
    this.#forgetCalls();
    for (const projectId of projectIds) {
      const report = reports.get(projectId) ?? null;
      this.#put("said", projectId, {
        report: report === null ? null : releaseReport(report),
        runIds: runIds.get(projectId) ?? [],
        saidAt,
      } satisfies LaneReport);
    }
    this.#addServing(projects, saidAt);
  }

  /** Queues a write to D1 of what the projects serve. */
  #addServing(reports: readonly ProjectReport[], checkedAt: number): void {
    for (const report of reports)
      this.#put("serving", report.project_id, { report, checkedAt } satisfies Serving);
  }

  /** Queues one changed project for D1 and for its lane, merged with the pending changes of a hello. */
  addChange(report: ProjectReport, saidAt: number): void {
    const before = this.#laneReportOf(report.project_id);
    const runIds = before?.runIds ?? null;
    const changed = {
      report: releaseReport(report),
      runIds,
      saidAt: runIds === null ? saidAt : (before?.saidAt ?? saidAt),
    };
    this.#put("said", report.project_id, changed satisfies LaneReport);
    this.#addServing([report], saidAt);
  }

  /** The reports that are pending for lanes. */
  laneReports(): { readonly projectId: ProjectId; readonly report: LaneReport }[] {
    return this.#all("said").map(({ project_id, json }) => ({
      projectId: ProjectId.parse(project_id),
      report: storedReport.parse(JSON.parse(json)),
    }));
  }

  /** Removes a delivered report, unless a newer one has replaced it. */
  noteDelivered(projectId: ProjectId, report: LaneReport): void {
    if (JSON.stringify(this.#laneReportOf(projectId)) === JSON.stringify(report))
      this.#sql.exec("DELETE FROM said WHERE project_id = ?", projectId);
  }

  #laneReportOf(projectId: ProjectId): LaneReport | null {
    const [row] = this.#sql
      .exec<{ json: string }>("SELECT json FROM said WHERE project_id = ?", projectId)
      .toArray();
    return row === undefined ? null : storedReport.parse(JSON.parse(row.json));
  }

  forgetLanes(): void {
    this.#forgetCalls();
    this.#sql.exec("DELETE FROM known");
  }

  #forgetCalls(): void {
    this.#sql.exec("DELETE FROM waiting");
    this.#sql.exec("DELETE FROM said");
  }

  /** The pending changes for D1. */
  serving(): Serving[] {
    return this.#all("serving").map(({ json }) => storedServing.parse(JSON.parse(json)));
  }

  noteWritten(written: readonly Serving[]): void {
    for (const { report, checkedAt } of written)
      this.#sql.exec(
        "DELETE FROM serving WHERE project_id = ? AND json ->> '$.checkedAt' <= ?",
        report.project_id,
        checkedAt,
      );
  }

  forgetServing(): void {
    this.#sql.exec("DELETE FROM serving");
  }

  #put(table: Table, projectId: ProjectId, value: LaneReport | Serving): void {
    this.#sql.exec(
      `INSERT INTO ${table} (project_id, json) VALUES (?, ?) ON CONFLICT (project_id) DO UPDATE SET json = excluded.json`,
      projectId,
      JSON.stringify(value),
    );
  }

  #all(table: Table) {
    return this.#sql.exec<{ project_id: string; json: string }>(`SELECT * FROM ${table}`).toArray();
  }
}
