import * as z from "zod/mini";

import { ProjectReport } from "#contract/agent-protocol.ts";
import { ProjectId, RunId } from "#contract/ids.ts";

/** What a lane must hear. `runIds` is null where the agent has told of the project outside a hello. */
const Said = z.strictObject({
  report: z.nullable(ProjectReport),
  runIds: z.nullable(z.array(RunId)),
  saidAt: z.number(),
});
export type Said = z.infer<typeof Said>;

/** What D1 must hear. `checkedAt` is in Unix milliseconds. */
const Serving = z.strictObject({ report: ProjectReport, checkedAt: z.number() });
export type Serving = z.infer<typeof Serving>;

/** The part of a hello that is about projects. */
export type ProjectHello = {
  readonly projects: readonly ProjectReport[];
  readonly runs: readonly { readonly project_id: ProjectId; readonly run_id: RunId }[];
};

/**
 * What an agent has said and others must be told, in the link's own storage until they have been: each lane its part of
 * the hello, D1 what the projects serve. All methods are synchronous; `saidAt` and `checkedAt` are Unix milliseconds.
 */
export class DeliveryQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS waiting (project_id TEXT PRIMARY KEY)");
    sql.exec("CREATE TABLE IF NOT EXISTS known (project_id TEXT PRIMARY KEY)");
    sql.exec("CREATE TABLE IF NOT EXISTS said (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS serving (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
  }

  /** The lane wants to be asked at the next hello. */
  addWaiting(projectId: ProjectId): void {
    this.#sql.exec("INSERT OR IGNORE INTO waiting (project_id) VALUES (?)", projectId);
    this.addKnown([projectId]);
  }

  /** These projects are, or were, on this server: their lanes or D1 have said so. */
  addKnown(projectIds: Iterable<ProjectId>): void {
    for (const projectId of projectIds)
      this.#sql.exec("INSERT OR IGNORE INTO known (project_id) VALUES (?)", projectId);
  }

  /** Whether what the agent says of the project is listened to: an agent can name any project. */
  isKnown(projectId: ProjectId): boolean {
    const found = this.#sql.exec(
      `SELECT 1 FROM known WHERE project_id = ?1 UNION ALL SELECT 1 FROM waiting WHERE project_id = ?1
       UNION ALL SELECT 1 FROM said WHERE project_id = ?1 LIMIT 1`,
      projectId,
    );
    return found.toArray().length > 0;
  }

  /** The projects that a hello names and that this link knows nothing of. */
  unknownIn({ projects, runs }: ProjectHello): ProjectId[] {
    const named = new Set([...projects, ...runs].map(({ project_id }) => project_id));
    return [...named].filter((projectId) => !this.isKnown(projectId));
  }

  /** The projects whose lanes have something for the agent, or want to hear of it. */
  waiting(): ProjectId[] {
    const rows = this.#sql.exec<{ project_id: string }>(
      "SELECT project_id FROM waiting UNION SELECT project_id FROM said",
    );
    return rows.toArray().map((row) => ProjectId.parse(row.project_id));
  }

  /** Has each lane asked that the agent has something of, or that has something for the agent. */
  takeHello({ projects, runs }: ProjectHello, saidAt: number): void {
    const reports = new Map(projects.map((report) => [report.project_id, report]));
    const runIds = new Map<ProjectId, RunId[]>();
    for (const { project_id, run_id } of runs)
      runIds.set(project_id, [...(runIds.get(project_id) ?? []), run_id]);
    const projectIds = new Set([...this.waiting(), ...reports.keys(), ...runIds.keys()]);
    this.#forgetCalls();
    for (const projectId of projectIds) {
      const report = reports.get(projectId) ?? null;
      this.#put("said", projectId, { report, runIds: runIds.get(projectId) ?? [], saidAt } satisfies Said);
    }
    this.takeServing(projects, saidAt);
  }

  /** Has D1 told what projects serve. */
  takeServing(reports: readonly ProjectReport[], checkedAt: number): void {
    for (const report of reports)
      this.#put("serving", report.project_id, { report, checkedAt } satisfies Serving);
  }

  /** Has the project's lane told too, with what it has not heard of a hello. */
  takeChange(report: ProjectReport, saidAt: number): void {
    const before = this.#saidOf(report.project_id);
    const runIds = before?.runIds ?? null;
    const changed = { report, runIds, saidAt: runIds === null ? saidAt : (before?.saidAt ?? saidAt) };
    this.#put("said", report.project_id, changed satisfies Said);
    this.takeServing([report], saidAt);
  }

  /** What lanes have not heard. */
  said(): { readonly projectId: ProjectId; readonly said: Said }[] {
    return this.#all("said").map(({ project_id, json }) => ({
      projectId: ProjectId.parse(project_id),
      said: Said.parse(JSON.parse(json)),
    }));
  }

  /** The lane has heard it; what was said since stays. */
  noteHeard(projectId: ProjectId, said: Said): void {
    if (JSON.stringify(this.#saidOf(projectId)) === JSON.stringify(said))
      this.#sql.exec("DELETE FROM said WHERE project_id = ?", projectId);
  }

  #saidOf(projectId: ProjectId): Said | null {
    const [row] = this.#sql
      .exec<{ json: string }>("SELECT json FROM said WHERE project_id = ?", projectId)
      .toArray();
    return row === undefined ? null : Said.parse(JSON.parse(row.json));
  }

  forgetLanes(): void {
    this.#forgetCalls();
    this.#sql.exec("DELETE FROM known");
  }

  #forgetCalls(): void {
    this.#sql.exec("DELETE FROM waiting");
    this.#sql.exec("DELETE FROM said");
  }

  /** What D1 has not heard. */
  serving(): Serving[] {
    return this.#all("serving").map(({ json }) => Serving.parse(JSON.parse(json)));
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

  #put(table: "said" | "serving", projectId: ProjectId, value: Said | Serving): void {
    this.#sql.exec(
      `INSERT INTO ${table} (project_id, json) VALUES (?, ?) ON CONFLICT (project_id) DO UPDATE SET json = excluded.json`,
      projectId,
      JSON.stringify(value),
    );
  }

  #all(table: "said" | "serving") {
    return this.#sql.exec<{ project_id: string; json: string }>(`SELECT * FROM ${table}`).toArray();
  }
}
