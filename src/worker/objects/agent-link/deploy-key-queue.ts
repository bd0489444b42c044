import * as z from "zod/mini";

import { DeployKeyReport } from "#contract/agent-protocol.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";

const storedReport = storedAs(DeployKeyReport);

/** `all`: every public key that the server has, so that D1 can forget others; null: not known. */
export type PendingKeys = {
  readonly reports: readonly DeployKeyReport[];
  readonly all: readonly string[] | null;
};

/** The public deploy keys that an agent has reported and D1 does not have yet, in the link's own storage. */
export class DeployKeyQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS deploy_keys (project_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS all_keys (id INTEGER PRIMARY KEY, json TEXT NOT NULL)");
  }

  add(reports: readonly DeployKeyReport[]): void {
    for (const report of reports)
      this.#sql.exec(
        "INSERT OR REPLACE INTO deploy_keys (project_id, json) VALUES (?, ?)",
        report.project_id,
        JSON.stringify(report),
      );
  }

  /** Replaces all keys: the server has no others. */
  replaceAll(reports: readonly DeployKeyReport[]): void {
    this.forget();
    this.add(reports);
    const keys = new Set(reports.map(({ public_key }) => public_key));
    this.#sql.exec("INSERT INTO all_keys (id, json) VALUES (1, ?)", JSON.stringify([...keys]));
  }

  /** null: D1 is up to date. */
  pending(): PendingKeys | null {
    const read = (table: string) => this.#sql.exec<{ json: string }>(`SELECT json FROM ${table}`).toArray();
    const reports = read("deploy_keys").map(({ json }) => storedReport.parse(parseJson(json)));
    const [list] = read("all_keys");
    const all = list === undefined ? null : z.array(z.string()).parse(parseJson(list.json));
    return reports.length === 0 && all === null ? null : { reports, all };
  }

  /** Removes the keys that were written, unless newer keys have replaced them. */
  noteWritten({ reports, all }: PendingKeys): void {
    for (const report of reports)
      this.#sql.exec(
        "DELETE FROM deploy_keys WHERE project_id = ? AND json = ?",
        report.project_id,
        JSON.stringify(report),
      );
    this.#sql.exec("DELETE FROM all_keys WHERE json = ?", JSON.stringify(all));
  }

  forget(): void {
    this.#sql.exec("DELETE FROM deploy_keys");
    this.#sql.exec("DELETE FROM all_keys");
  }
}
