import * as z from "zod/mini";

import { wholeFrom } from "#contract/bounds.ts";
import { AccountId, EventId, WebhookId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { type FeedCursor, NO_EVENT } from "#domain/events/decide-news.ts";

const ACCOUNT_ID = "account id";
const CURSOR = "cursor";
/** The last webhook whose turn to catch up it was. */
const LAST_TURN = "last turn";

const StoredCursor = z.strictObject({ sequence: wholeFrom(0), id: z.nullable(EventId) });
const storedCursor = storedAs(StoredCursor);
const Behind = z.strictObject({ webhook_id: WebhookId, after: wholeFrom(0) });

/** A webhook that lacks events after a number. */
export type WebhookBehind = { readonly webhookId: WebhookId; readonly after: number };

/** What a feed remembers: its account, the last event that it has handed over, and which webhooks lack earlier ones. */
export class FeedStore {
  readonly accountId: AccountId;
  readonly #storage: DurableObjectStorage;

  /** @param name the account's id; undefined in an object that was woken by its alarm */
  constructor(storage: DurableObjectStorage, name: string | undefined) {
    this.#storage = storage;
    const { kv, sql } = storage;
    this.accountId = AccountId.parse(name ?? kv.get(ACCOUNT_ID));
    if (kv.get(ACCOUNT_ID) === undefined) kv.put(ACCOUNT_ID, this.accountId);
    sql.exec(
      "CREATE TABLE IF NOT EXISTS behind (webhook_id TEXT PRIMARY KEY, after INTEGER NOT NULL) WITHOUT ROWID",
    );
  }

  cursor(): FeedCursor {
    return storedCursor.parse(this.#storage.kv.get(CURSOR) ?? NO_EVENT);
  }

  /** Moves the cursor, and notes the webhooks that lack what came after `before`, if not more. */
  handedOver(before: FeedCursor, cursor: FeedCursor, lacking: readonly WebhookId[]): void {
    this.#storage.transactionSync(() => {
      this.#storage.kv.put(CURSOR, cursor);
      for (const id of lacking)
        this.#storage.sql.exec("INSERT OR IGNORE INTO behind VALUES (?, ?)", id, before.sequence);
    });
  }

  /** Goes back to an earlier event. */
  rewind(cursor: FeedCursor): void {
    this.#storage.transactionSync(() => {
      this.#storage.kv.put(CURSOR, cursor);
      this.#storage.sql.exec("UPDATE behind SET after = min(after, ?)", cursor.sequence);
    });
  }

  behind(): WebhookBehind[] {
    return this.#storage.sql.exec("SELECT webhook_id, after FROM behind").toArray().map(parseBehind);
  }

  /**
   * Webhooks that lack events, and whose turn it is. They take turns, so that webhooks that never catch up do not keep
   * the others waiting.
   */
  nextBehind(limit: number): WebhookBehind[] {
    const { kv, sql } = this.#storage;
    const last = WebhookId.safeParse(kv.get(LAST_TURN)).data ?? "";
    // The limit is in the text, not a parameter, so that SQLite keeps the plan.
    const page = `SELECT webhook_id, after FROM behind ORDER BY webhook_id <= ?, webhook_id LIMIT ${limit}`;
    const rows = sql.exec(page, last).toArray();
    const behind = rows.map(parseBehind);
    if (behind.length === limit) kv.put(LAST_TURN, behind.at(-1)?.webhookId);
    return behind;
  }

  /** @param after null: the webhook lacks nothing */
  caughtUp(id: WebhookId, after: number | null): void {
    if (after === null) this.#storage.sql.exec("DELETE FROM behind WHERE webhook_id = ?", id);
    else this.#storage.sql.exec("UPDATE behind SET after = ? WHERE webhook_id = ?", after, id);
  }
}

function parseBehind(row: unknown): WebhookBehind {
  const { webhook_id: webhookId, after } = Behind.parse(row);
  return { webhookId, after };
}
