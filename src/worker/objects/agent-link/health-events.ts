import { MAX_REPORTED_PROJECTS, type ProjectReport } from "#contract/agent-protocol.ts";
import { ProjectId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { healthEvent } from "#domain/health/health-event.ts";
import { HealthRecord, NO_HEALTH, noteHealth } from "#domain/health/note-health.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import type { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";

const storedHealth = storedAs(HealthRecord);

const ids = createObjectIds();

/**
 * The events of what begins or ends to fail on a server: processes, cron jobs and certificates. What the last events said
 * is in the link's own storage, and is saved in one step with the event, so each state is an event once. All methods are
 * synchronous.
 */
export class HealthEvents {
  readonly #sql: SqlStorage;
  readonly #changes: ChangeOutbox;
  /** When the last report arrived. A hello is handled later than it arrives, so another report can come first. */
  #lastAt = 0;

  constructor(sql: SqlStorage, changes: ChangeOutbox) {
    this.#sql = sql;
    this.#changes = changes;
    // Only projects with a failure, now or a short time ago.
    sql.exec("CREATE TABLE IF NOT EXISTS health (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
  }

  /**
   * Records the reports of the projects on the server. @param count how many projects the message has, including projects
   * that are not on the server
   * @param at when it arrived, in Unix milliseconds
   */
  noteAll(reports: readonly ProjectReport[], count: number, at: number): void {
    const isComplete = count < MAX_REPORTED_PROJECTS;
    if (isComplete && at >= this.#lastAt) {
      const named = new Set(reports.map(({ project_id }) => project_id));
      for (const [projectId, before] of this.#all())
        if (!named.has(projectId)) this.#note(projectId, before, null, at);
    }
    for (const report of reports) this.note(report, at);
  }

  /** Takes the report of a project. */
  note(report: ProjectReport, at: number): void {
    this.#note(report.project_id, this.#of(report.project_id) ?? NO_HEALTH, report, at);
  }

  #note(projectId: ProjectId, before: HealthRecord, report: ProjectReport | null, at: number): void {
    if (at < this.#lastAt) return;
    this.#lastAt = at;
    const { record, changes } = noteHealth(before, report, at);
    if (JSON.stringify(record.subjects) !== JSON.stringify(before.subjects)) this.#save(projectId, record);
    for (const change of changes) {
      const event = { ...healthEvent(change, projectId), id: ids.event(), actor: SYSTEM, createdAt: at };
      this.#changes.add(storedChange(event, null));
    }
  }

  /** Removes everything about a deleted server. */
  forget(): void {
    this.#sql.exec("DELETE FROM health");
  }

  #save(projectId: ProjectId, record: HealthRecord): void {
    if (Object.keys(record.subjects).length === 0)
      return void this.#sql.exec("DELETE FROM health WHERE project_id = ?", projectId);
    this.#sql.exec(
      "INSERT INTO health (project_id, json) VALUES (?, ?) ON CONFLICT (project_id) DO UPDATE SET json = excluded.json",
      projectId,
      JSON.stringify(record),
    );
  }

  #of(projectId: ProjectId): HealthRecord | null {
    const [row] = this.#sql
      .exec<{ json: string }>("SELECT json FROM health WHERE project_id = ?", projectId)
      .toArray();
    return row === undefined ? null : storedHealth.parse(JSON.parse(row.json));
  }

  #all(): (readonly [ProjectId, HealthRecord])[] {
    return this.#sql
      .exec<{ project_id: string; json: string }>("SELECT * FROM health")
      .toArray()
      .map(({ project_id, json }) => [ProjectId.parse(project_id), storedHealth.parse(JSON.parse(json))]);
  }
}
