import { env } from "cloudflare:workers";

import { AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import { Event } from "#contract/endpoints/events/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import { ids } from "./account.ts";

/** An entry about nothing, for calls below the API. */
export const auditEntry = (): StoredEntry => ({
  id: ids.auditEntry(),
  ...{ projectId: null, createdAt: 0, ip: null, requestId: null, code: null, target: null, changes: null },
  ...{ actor: { type: "token", id: "tok_ci", name: "ci" }, action: "deploy", outcome: "done" },
});

type Row = Record<"id" | "type" | "actor" | "data", string> & { sequence: number; created_at: number };

/** The events of the projects and accounts with these ids, in order. Each must be as the contract says. */
export async function recordedEvents(ofId: string): Promise<Event[]> {
  const { results } = await env.DB.prepare(
    "SELECT * FROM events WHERE account_id = ?1 OR project_id = ?1 ORDER BY account_id, sequence",
  )
    .bind(ofId)
    .all<Row>();
  return results.map(({ id, type, actor, data, sequence, created_at }) => {
    const parsed = parseJson(data);
    const common = { sequence, actor: parseJson(actor) };
    return Event.parse({
      id,
      type,
      timestamp: new Date(created_at).toISOString(),
      data: typeof parsed === "object" ? { ...common, ...parsed } : common,
    });
  });
}

/** The events of a server's status, in order: each as the status. */
export async function recordedStatuses(serverId: string): Promise<string[]> {
  const owner = await env.DB.prepare("SELECT account_id FROM servers WHERE id = ?")
    .bind(serverId)
    .first("account_id");
  return (await recordedEvents(String(owner))).flatMap(({ type, data }) =>
    "server" in data &&
    "changed" in data &&
    data.server.id === serverId &&
    type === `server.${data.server.status}`
      ? [data.server.status]
      : [],
  );
}

type EntryRow = Record<"action" | "outcome", string> & Record<"code" | "target" | "changes", string | null>;

/** The entries of the audit log about the projects and accounts with these ids, in order. */
export async function recordedEntries(ofId: string) {
  const { results } = await env.DB.prepare(
    "SELECT * FROM audit_entries WHERE account_id = ?1 OR project_id = ?1 ORDER BY account_id, sequence",
  )
    .bind(ofId)
    .all<EntryRow>();
  return results.map(({ action, outcome, code, target, changes }) => ({
    action,
    outcome,
    code,
    target: target === null ? null : AuditTarget.parse(parseJson(target)),
    changes: changes === null ? null : parseJson(changes),
  }));
}
