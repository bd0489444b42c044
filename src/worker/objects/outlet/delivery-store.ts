import * as z from "zod/mini";

import { type EventId, ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import type { ProjectSelection } from "#domain/outlet/selection.ts";
import { isWithin } from "#domain/token-grant.ts";
import { type NewDelivery, StoredAttempt, StoredDelivery } from "#worker/objects/outlet/stored-delivery.ts";

const storedDelivery = storedAs(StoredDelivery);

type Row = Record<string, SqlStorageValue> & { event: string; projects: string | null; attempts: string };

const Projects = z.nullable(z.array(ProjectId));

/** A webhook keeps this many attempts of a delivery. */
const MAX_ATTEMPTS_KEPT = 12;
/** And this many deliveries that have ended, for this long. */
const MAX_ENDED = 1_000;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** The most that wait for one target, or are held. Of more, the oldest fail. */
const MAX_PENDING = 10_000;
/** A webhook shows at most this many. */
const MAX_COUNTED = 1_000;
/** After this many new deliveries and attempts old deliveries are dropped. */
const TRIM_AFTER = 100;

const COLUMNS =
  "seq, event, projects, coalesce AS coalesce, outcome_before AS outcomeBefore, state, due_at AS dueAt, tries, attempt_count AS attemptCount, attempts";
const IS_NEWEST =
  "(coalesce IS NULL OR NOT EXISTS (SELECT 1 FROM deliveries AS other WHERE other.coalesce = deliveries.coalesce AND other.seq > deliveries.seq))";

/** The deliveries of a webhook, in the object's own SQLite. All methods are synchronous. */
export class DeliveryStore {
  readonly #sql: SqlStorage;
  #sinceTrim = 0;
  /** The attempt that was asked for last, with the selection; null: none was. */
  #last: { readonly selection: ProjectSelection; attempt: StoredAttempt | null } | null = null;

  /** @param sql must have the tables, if methods are called */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Not in the constructor, so that nothing is stored for a webhook that does not exist. */
  createTables(): void {
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS deliveries (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE, event TEXT NOT NULL,
      projects TEXT, sequence INTEGER NOT NULL, created_at INTEGER NOT NULL, coalesce TEXT, outcome_before TEXT, state TEXT NOT NULL,
      due_at INTEGER, tries INTEGER NOT NULL, attempt_count INTEGER NOT NULL, attempts TEXT NOT NULL)`);
    this.#sql.exec("CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (state, due_at, seq)");
    this.#sql.exec(
      "CREATE INDEX IF NOT EXISTS deliveries_coalesce ON deliveries (coalesce, seq) WHERE coalesce IS NOT NULL",
    );
  }

  has(eventId: EventId): boolean {
    return this.#sql.exec("SELECT 1 FROM deliveries WHERE event_id = ?", eventId).toArray().length > 0;
  }

  /** Adds a delivery. Waiting deliveries that it makes superfluous are replaced. @returns its number */
  add({ event, projects, coalesce, outcomeBefore, state, dueAt }: NewDelivery): number {
    const [row] = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO deliveries (event_id, event, projects, sequence, created_at, coalesce, outcome_before, state, due_at, tries, attempt_count, attempts)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '[]') RETURNING seq`,
        event.id,
        JSON.stringify(event),
        projects === null ? null : JSON.stringify(projects),
        event.data.sequence,
        Date.parse(event.timestamp),
        coalesce,
        outcomeBefore,
        state,
        dueAt,
      )
      .toArray();
    const seq = z.int().parse(row?.seq);
    if (coalesce !== null)
      this.#sql.exec(
        "UPDATE deliveries SET state = 'replaced', due_at = NULL WHERE coalesce = ? AND seq < ? AND state IN ('pending', 'held')",
        coalesce,
        seq,
      );
    return seq;
  }

  /** The deliveries that are due, the longest due first. @param except the numbers of deliveries to leave out */
  due(now: number, limit: number, except: readonly number[]): StoredDelivery[] {
    const isOther = "seq NOT IN (SELECT value FROM json_each(?))";
    // The limit is in the text, not a parameter, so that SQLite keeps the plan.
    const rest = `WHERE state = 'pending' AND due_at <= ? AND ${isOther} ORDER BY due_at, seq LIMIT ${limit}`;
    return this.#read(rest, now, JSON.stringify(except));
  }

  /** When the next one after a time is due; null: none waits. */
  nextDueAt(after: number): number | null {
    const [row] = this.#sql
      .exec<{ at: number | null }>(
        "SELECT min(due_at) AS at FROM deliveries WHERE state = 'pending' AND due_at > ?",
        after,
      )
      .toArray();
    return row?.at ?? null;
  }

  /** null: there is none within the selection. */
  find(eventId: EventId, selection: ProjectSelection): StoredDelivery | null {
    const { condition, values } = within(selection);
    return this.#read(`WHERE event_id = ? AND ${condition}`, eventId, ...values)[0] ?? null;
  }

  /** @param after the number of the last one shown; null: from the newest */
  newestFirst(after: number | null, limit: number, selection: ProjectSelection): StoredDelivery[] {
    const { condition, values } = within(selection);
    const rest = `WHERE seq < ? AND ${condition} ORDER BY seq DESC LIMIT ${limit}`;
    return this.#read(rest, after ?? Number.MAX_SAFE_INTEGER, ...values);
  }

  /** Records an attempt. A delivery that was replaced or deleted meanwhile is not sent again. */
  noteAttempt(
    { seq }: Pick<StoredDelivery, "seq">,
    attempt: StoredAttempt,
    fate: Pick<StoredDelivery, "state" | "dueAt">,
  ): void {
    const [found] = this.#sql
      .exec<{ state: string; projects: string | null; attempts: string }>(
        "SELECT state, projects, attempts FROM deliveries WHERE seq = ?",
        seq,
      )
      .toArray();
    if (found === undefined) return;
    if (this.#last !== null && isWithin(this.#last.selection, parseProjects(found.projects)))
      this.#last.attempt = attempt;
    const isReplaced = found.state === "replaced" && fate.state !== "delivered";
    const attempts = [...storedAttempts.parse(parseJson(found.attempts)), attempt];
    this.#sql.exec(
      "UPDATE deliveries SET state = ?, due_at = ?, tries = tries + 1, attempt_count = attempt_count + 1, attempts = ? WHERE seq = ?",
      isReplaced ? "replaced" : fate.state,
      isReplaced ? null : fate.dueAt,
      JSON.stringify(attempts.slice(-MAX_ATTEMPTS_KEPT)),
      seq,
    );
  }

  /** Marks a delivery that a newer one has replaced, so that it is not sent. */
  noteSuperfluous({ seq }: Pick<StoredDelivery, "seq">): void {
    this.#sql.exec("UPDATE deliveries SET state = 'replaced', due_at = NULL WHERE seq = ?", seq);
  }

  hold(): void {
    this.#sql.exec("UPDATE deliveries SET state = 'held', due_at = NULL WHERE state = 'pending'");
  }

  /** Holds what waits and is not within the selection. */
  holdOutside(selection: ProjectSelection): void {
    const { condition, values } = within(selection);
    this.#sql.exec(
      `UPDATE deliveries SET state = 'held', due_at = NULL WHERE state = 'pending' AND NOT (${condition})`,
      ...values,
    );
  }

  /** Sends a delivery within the selection again, unless a newer one has made it superfluous. */
  resend(eventId: EventId, now: number, selection: ProjectSelection): void {
    const { condition, values } = within(selection);
    this.#sql.exec(
      `UPDATE deliveries SET state = 'pending', due_at = ?, tries = 0
       WHERE event_id = ? AND ${IS_NEWEST} AND ${condition}`,
      now,
      eventId,
      ...values,
    );
  }

  /**
   * Sends deliveries within the selection again that failed or are held. @param since only deliveries of events since
   * this time, in Unix milliseconds @param delivered also successful deliveries
   * @returns how many
   */
  resendAll(since: number, delivered: boolean, now: number, selection: ProjectSelection): number {
    const { condition, values } = within(selection);
    const states = delivered ? "'failed', 'held', 'delivered'" : "'failed', 'held'";
    const isTest = "event ->> '$.type' = 'webhook.test'";
    return this.#sql
      .exec(
        `UPDATE deliveries SET state = 'pending', due_at = ?, tries = 0
       WHERE state IN (${states}) AND created_at >= ? AND NOT (${isTest}) AND ${IS_NEWEST} AND ${condition}
       RETURNING seq`,
        now,
        since,
        ...values,
      )
      .toArray().length;
  }

  /**
   * How many deliveries within the selection have a state, up to `MAX_COUNTED`: each counted delivery is a row that is
   * read.
   */
  count(state: "pending" | "held", selection: ProjectSelection): number {
    const { condition, values } = within(selection);
    const counted = this.#sql.exec<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM deliveries WHERE state = ? AND ${condition} LIMIT ${MAX_COUNTED})`,
      state,
      ...values,
    );
    return counted.one().count;
  }

  /** Reads all deliveries, but only once: an index over the attempts would be one more row to write for each. */
  lastAttempt(selection: ProjectSelection): StoredAttempt | null {
    if (this.#last !== null && JSON.stringify(this.#last.selection) === JSON.stringify(selection))
      return this.#last.attempt;
    const { condition, values } = within(selection);
    const [latest] = this.#read(
      `WHERE attempt_count > 0 AND ${condition} ORDER BY json_extract(attempts, '$[#-1].at') DESC, seq DESC LIMIT 1`,
      ...values,
    );
    const attempt = latest?.attempts.at(-1) ?? null;
    this.#last = { selection, attempt };
    return attempt;
  }

  /** The number of the newest event that was taken; 0: none. */
  newestSequence(): number {
    const [row] = this.#sql
      .exec<{ sequence: number }>("SELECT sequence FROM deliveries ORDER BY seq DESC LIMIT 1")
      .toArray();
    return row?.sequence ?? 0;
  }

  /** As `trim`, once after many changes. An object with few changes is woken up every day for it. */
  trimAfter(changes: number, now: number): void {
    this.#sinceTrim += changes;
    if (this.#sinceTrim >= TRIM_AFTER) this.trim(now);
  }

  /** Lets the oldest fail if too many wait or are held, and drops old ones. */
  trim(now: number): void {
    this.#sinceTrim = 0;
    this.#sql.exec(
      `UPDATE deliveries SET state = 'failed', due_at = NULL WHERE seq IN (
         SELECT seq FROM deliveries WHERE state IN ('pending', 'held') ORDER BY seq DESC LIMIT -1 OFFSET ${MAX_PENDING})`,
    );
    this.#sql.exec(
      `DELETE FROM deliveries WHERE seq IN (
         SELECT seq FROM deliveries WHERE state IN ('delivered', 'failed', 'replaced') ORDER BY seq DESC LIMIT -1 OFFSET ${MAX_ENDED})`,
    );
    this.#sql.exec("DELETE FROM deliveries WHERE state <> 'pending' AND created_at < ?", now - MAX_AGE_MS);
  }

  #read(rest: string, ...values: SqlStorageValue[]): StoredDelivery[] {
    const rows = this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM deliveries ${rest}`, ...values).toArray();
    return rows.map((row) =>
      storedDelivery.parse({
        ...row,
        event: parseJson(row.event),
        projects: parseProjects(row.projects),
        attempts: parseJson(row.attempts),
      }),
    );
  }
}

const storedAttempts = storedAs(z.array(StoredAttempt));

function parseProjects(json: string | null): ProjectSelection {
  return json === null ? null : Projects.parse(parseJson(json));
}

/** The condition that deliveries are within a selection, as `isWithin`, with its parameters. */
function within(selection: ProjectSelection): {
  readonly condition: string;
  readonly values: readonly string[];
} {
  if (selection === null) return { condition: "true", values: [] };
  const isOutside = "value NOT IN (SELECT value FROM json_each(?))";
  return {
    condition: `(projects IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(projects) WHERE ${isOutside}))`,
    values: [JSON.stringify(selection)],
  };
}
