import * as z from "zod/mini";

import { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { NO_STATUS, noteStatus, serverStatus, statusEventAt } from "#domain/server-status.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import type { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import type { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import type { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";

const Stored = z.strictObject({
  reported: z.nullable(ServerStatus),
  awaySince: z.nullable(z.number()),
  healthySince: z.nullable(z.number()),
});
const storedStatus = storedAs(Stored);

const KEY = "status";

const keys = ["reported", "awaySince", "healthySince"] as const;

const ids = createObjectIds();

/** The events of a server's status. All methods are synchronous and write only to the link's own storage. */
export class StatusEvents {
  readonly #kv: SyncKvStorage;
  readonly #changes: ChangeOutbox;
  readonly #server: LinkedServer;
  readonly #presence: PresenceRecord;

  constructor(kv: SyncKvStorage, changes: ChangeOutbox, server: LinkedServer, presence: PresenceRecord) {
    this.#kv = kv;
    this.#changes = changes;
    this.#server = server;
    this.#presence = presence;
  }

  /** Adds an event if the status has changed. Call it in the turn in which the presence was saved. @param now Unix milliseconds */
  note(now: number): void {
    const condition = this.#presence.condition();
    if (condition === null) return;
    const before = this.#load();
    const { record, event } = noteStatus(before, serverStatus(condition), now);
    const isSame = keys.every((key) => record[key] === before[key]);
    if (!isSame) this.#kv.put(KEY, record);
    if (event === null) return;
    // D1 adds the name, which the link does not know.
    const data = { server: { id: this.#server.id, name: "", status: event }, changed: [] };
    const type = `server.${event}` as const;
    this.#changes.add(storedChange({ id: ids.event(), type, data, actor: SYSTEM, createdAt: now }, null));
  }

  /** The control plane did not run until now, so a disconnected agent had no chance to connect again. */
  notObserved(now: number): void {
    const before = this.#load();
    if (before.awaySince !== null && before.reported !== "offline")
      this.#kv.put(KEY, { ...before, awaySince: now });
  }

  /** When `note` must be called again, in Unix milliseconds; null: when the presence changes. */
  dueAt(): number | null {
    return this.#presence.condition() === null ? null : statusEventAt(this.#load());
  }

  /** Forgets a deleted server. */
  forget(): void {
    this.#kv.delete(KEY);
  }

  #load() {
    return storedStatus.parse(this.#kv.get(KEY) ?? NO_STATUS);
  }
}
