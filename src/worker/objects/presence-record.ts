import * as z from "zod";

import type { AccountId, ServerId } from "#contract/ids.ts";
import type { Disk } from "#contract/servers.ts";
import { recordConnection } from "#domain/uptime.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { Database } from "#worker/db/database.ts";
import { writePresence } from "#worker/db/server-presence.ts";

/** Whose presence it is. */
type Whose = { accountId: AccountId; serverId: ServerId };

/** Times are Unix milliseconds. `lastSeenAt` is what counts as the end of a connection that broke unseen. */
const Stored = z.strictObject({
  connectedAt: z.number().nullable(),
  lastSeenAt: z.number(),
  connectedMsByDay: z.record(z.string(), z.number()),
});
type Stored = z.infer<typeof Stored>;

const KEY = "presence";

/** When a server's agent was connected, kept with its link and copied to D1, which lists it. */
export class PresenceRecord {
  readonly #kv: SyncKvStorage;
  readonly #database: Database;

  constructor(storage: DurableObjectStorage, database: Database) {
    this.#kv = storage.kv;
    this.#database = database;
  }

  lastSeenAt(): number {
    return this.#load().lastSeenAt;
  }

  /** Notes a sign of life, here only: D1 learns it when something changes. */
  touch(seenAt: number): void {
    const stored = this.#load();
    if (seenAt > stored.lastSeenAt) this.#save({ ...stored, lastSeenAt: seenAt });
  }

  async connected(whose: Whose, now: number, agent: { agent_version: string; disk: Disk }): Promise<void> {
    const before = closeConnection(this.#load(), null);
    const stored = { ...before, connectedAt: now, lastSeenAt: now };
    this.#save(stored);
    await writePresence(new AccountRows(this.#database, whose.accountId), whose.serverId, {
      ...stored,
      agentVersion: agent.agent_version,
      disk: agent.disk,
    });
  }

  async seen(whose: Whose, now: number, { disk }: { disk: Disk }): Promise<void> {
    this.touch(now);
    const rows = new AccountRows(this.#database, whose.accountId);
    await writePresence(rows, whose.serverId, { lastSeenAt: now, disk });
  }

  async disconnected(whose: Whose, now: number): Promise<void> {
    const stored = closeConnection(this.#load(), now);
    this.#save(stored);
    await writePresence(new AccountRows(this.#database, whose.accountId), whose.serverId, stored);
  }

  forget(): void {
    this.#kv.delete(KEY);
  }

  #load(): Stored {
    const value = this.#kv.get(KEY);
    return value === undefined
      ? { connectedAt: null, lastSeenAt: 0, connectedMsByDay: {} }
      : Stored.parse(value);
  }

  #save(stored: Stored): void {
    this.#kv.put(KEY, stored);
  }
}

/** @param endedAt null: nobody saw the end, so it counts from the last sign of life */
function closeConnection(stored: Stored, endedAt: number | null): Stored {
  const { connectedAt, lastSeenAt, connectedMsByDay } = stored;
  const end = endedAt ?? lastSeenAt;
  const connected =
    connectedAt === null ? connectedMsByDay : recordConnection(connectedMsByDay, connectedAt, end);
  return { connectedAt: null, lastSeenAt: Math.max(lastSeenAt, end), connectedMsByDay: connected };
}
