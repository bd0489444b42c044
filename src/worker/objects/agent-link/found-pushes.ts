import * as z from "zod/mini";

import { TipMoved } from "#contract/agent-watch.ts";
import { AuditEntryId, HookId, PushId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";

/**
 * A push that the agent has found. `id`: of its row in the ledger. `foundAt` is in Unix milliseconds. `finder`: null
 * until the push was compared with D1 and was unknown there. After that, the deployment that it starts would hide it.
 */
const StoredPush = z.strictObject({
  id: PushId,
  auditId: AuditEntryId,
  foundAt: z.number(),
  tip: TipMoved,
  finder: z.nullable(z.strictObject({ serverName: z.string(), hookId: z.nullable(HookId) })),
});
export type StoredPush = z.infer<typeof StoredPush>;
const storedPush = storedAs(StoredPush);

/** The found pushes that are not in the ledger yet, in the link's own storage. All methods are synchronous. */
export class FoundPushes {
  readonly #sql: SqlStorage;
  readonly #ids = createObjectIds();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS found_pushes (id TEXT PRIMARY KEY, json TEXT NOT NULL)");
  }

  /**
   * Adds a push. Replaces an earlier one of the project that was not compared yet: what a branch points to now is deployed,
   * and an agent that reports many must not fill the storage.
   * @param foundAt Unix milliseconds
   */
  add(tip: TipMoved, foundAt: number): void {
    const isReplaced = (push: StoredPush) => push.finder === null && push.tip.project_id === tip.project_id;
    for (const { id } of this.pending().filter(isReplaced)) this.remove(id);
    this.save({ id: this.#ids.push(), auditId: this.#ids.auditEntry(), foundAt, tip, finder: null });
  }

  /** Adds a push, or replaces it. */
  save(push: StoredPush): void {
    const json = JSON.stringify(push);
    this.#sql.exec("INSERT OR REPLACE INTO found_pushes (id, json) VALUES (?, ?)", push.id, json);
  }

  /** Oldest first. */
  pending(): StoredPush[] {
    const rows = this.#sql.exec<{ json: string }>("SELECT json FROM found_pushes ORDER BY id");
    return rows.toArray().map(({ json }) => storedPush.parse(parseJson(json)));
  }

  remove(id: PushId): void {
    this.#sql.exec("DELETE FROM found_pushes WHERE id = ?", id);
  }

  forget(): void {
    this.#sql.exec("DELETE FROM found_pushes");
  }
}
