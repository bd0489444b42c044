import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as z from "zod";

import type { AccountId, ProjectId, ServerId } from "#contract/ids.ts";
import { isWellFormedToken, type TokenKind } from "#contract/token-form.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { ids, newSecret } from "./account.ts";

/** The name of an original. Replaced by the copy's own name. */
const NAME = "name-of-the-original";

const ID =
  /\b(acct|tok|srv|proj|dpl|run|cmd|evt|whk|hook|push|frz|trust|mem|inv|pk|conn|idn|aud)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
/** Unix milliseconds of this century. */
const TIME = /\b[12]\d{12}\b/g;
/** The hash of a token. */
const HASH = /"(?:credential_)?hash":"([0-9a-f]{64})"/g;

/** D1's error if another project has the default domain of a copied one. */
const TAKEN = /UNIQUE constraint failed: (?:projects\.domain|domains\.id)/;

/** How long an original stays the same before it is read. */
const SETTLED_MS = 100;

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const Table = z.object({ name: z.string(), sql: z.string(), rows: z.array(Row) });
const StoredObject = z.object({
  kind: z.enum(["PROJECT_LANE", "AGENT_LINK", "EVENT_FEED"]),
  name: z.string(),
  tables: z.array(Table),
  values: z.array(z.tuple([z.string(), z.json()])),
  alarm: z.number().nullable(),
});
type StoredObject = z.infer<typeof StoredObject>;

/** The original of the copies: an account with a project on an enrolled server. */
type Original = {
  readonly account: { readonly id: AccountId; readonly token: string };
  readonly credential: string;
  readonly person?: { readonly token: string };
  readonly serverId: ServerId;
  readonly projectId: ProjectId;
};

/** The kinds of secrets that an original has. */
const kinds = ["api", "agent", "session"] as const satisfies TokenKind[];

/** An original as JSON with all its stored rows, when they were read, and the secrets whose hashes they contain. */
type Template = {
  readonly json: string;
  readonly at: number;
  readonly hashes: readonly (readonly [string, string])[];
};

/** What D1 has of an account, by table. */
const Rows = z.record(z.string(), z.array(Row));
type Rows = z.infer<typeof Rows>;

/**
 * Copies an account that takes long to create through the API, for a fraction of the CPU time. The original is created
 * once. Each copy writes what the original has stored, with ids, secrets and times of its own.
 */
export class Copies<Made extends Original> {
  readonly #create: (name: string) => Promise<Made>;
  readonly #schema: z.ZodType<{ made: Made; rows: Rows; objects: StoredObject[] }>;
  #template: Template | null = null;

  constructor(schema: z.ZodType<Made>, create: (name: string) => Promise<Made>) {
    this.#create = create;
    this.#schema = z.object({ made: schema, rows: Rows, objects: z.array(StoredObject) });
  }

  get isPrepared(): boolean {
    return this.#template !== null;
  }

  /** Creates the original and reads its stored rows. Call this once, in an empty storage. */
  async prepare(): Promise<void> {
    const made = await this.#create(NAME);
    let json = "";
    // The objects still work after the responses.
    for (let read = await readStored(made); read !== json; read = await readStored(made)) {
      json = read;
      await scheduler.wait(SETTLED_MS);
    }
    const secrets = [made.account.token, made.credential, ...(made.person ? [made.person.token] : [])];
    const hashes = await Promise.all(
      secrets.map(async (secret) => [await secretHash(secret), secret] as const),
    );
    this.#template = { json, at: Date.now(), hashes };
  }

  async copy(name: string): Promise<Made> {
    if (this.#template === null) throw new Error("prepare it first");
    const { made, rows, objects } = this.#schema.parse(JSON.parse(await renewed(this.#template, name)));
    try {
      await env.DB.batch(Object.entries(rows).map(([table, inserted]) => insertion(table, inserted)));
    } catch (error) {
      // Only the Worker can give a second project of this name another domain.
      if (error instanceof Error && TAKEN.test(error.message)) return await this.#create(name);
      throw error;
    }
    await Promise.all(objects.map(restoreObject));
    return made;
  }
}

async function readStored(made: Original): Promise<string> {
  const { account, projectId, serverId } = made;
  const objects = [
    await readObject("PROJECT_LANE", projectId),
    await readObject("AGENT_LINK", serverId),
    await readObject("EVENT_FEED", account.id),
  ];
  const stored = objects.filter(
    ({ tables, values, alarm }) =>
      tables.some(({ rows }) => rows.length > 0) || values.length > 0 || alarm !== null,
  );
  return JSON.stringify({ made, rows: await readRows(account.id), objects: stored });
}

async function readRows(accountId: AccountId): Promise<Rows> {
  const withAccount = env.DB.prepare(
    `SELECT name, CASE name WHEN 'accounts' THEN 'id' ELSE 'account_id' END AS owner FROM sqlite_schema
     WHERE type = 'table' AND (name = 'accounts' OR sql LIKE '%account_id%')`,
  );
  const tables = (await withAccount.all<{ name: string; owner: string }>()).results;
  const reads = tables.map(({ name, owner }) =>
    env.DB.prepare(`SELECT * FROM ${name} WHERE ${owner} = ?`).bind(accountId),
  );
  const results = await env.DB.batch(reads);
  const rows = results.map(({ results: found }) => z.array(Row).parse(found));
  const filled = tables
    .map(({ name }, at) => [name, rows[at] ?? []] as const)
    .filter(([, { length }]) => length > 0);
  return Object.fromEntries(filled);
}

const objectOf = ({ kind, name }: Pick<StoredObject, "kind" | "name">) => env[kind].getByName(name);

async function readObject(kind: StoredObject["kind"], name: string): Promise<StoredObject> {
  return await runInDurableObject(objectOf({ kind, name }), async (_object: unknown, { storage }) => {
    const schema = storage.sql.exec<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
    );
    const tables = schema
      .toArray()
      .map((table) => ({ ...table, rows: storage.sql.exec(`SELECT * FROM ${table.name}`).toArray() }));
    const values = [...storage.kv.list()];
    return StoredObject.parse({ kind, name, tables, values, alarm: await storage.getAlarm() });
  });
}

/** The template's JSON with other ids, which sort like the template's, other secrets and other times. */
async function renewed({ json, at, hashes }: Template, name: string): Promise<string> {
  const renewals = new Map([[NAME, name]]);
  const numberOf = (id: string) => id.slice(id.indexOf("_"));
  const copied = [...new Set(json.match(ID))].toSorted((a, b) => (numberOf(a) < numberOf(b) ? -1 : 1));
  for (const id of copied) renewals.set(id, id.replace(/_.*/, numberOf(ids.event())));
  for (const [, hash = ""] of json.matchAll(HASH)) {
    const secret = hashes.find(([known]) => known === hash)?.[1];
    const next = newSecret(kinds.find((kind) => isWellFormedToken(secret ?? "", kind)));
    renewals.set(hash, await secretHash(next));
    if (secret !== undefined) renewals.set(secret, next);
  }
  const shift = Date.now() - at;
  const known = new RegExp([...renewals.keys()].join("|"), "g");
  return json
    .replace(known, (text) => renewals.get(text) ?? text)
    .replace(TIME, (time) => String(Number(time) + shift));
}

function insertion(table: string, rows: readonly z.infer<typeof Row>[]): D1PreparedStatement {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column) => `value ->> '${column}'`);
  return env.DB.prepare(
    `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join()}) SELECT ${values.join()} FROM json_each(?)`,
  ).bind(JSON.stringify(rows));
}

/** Writes the storage of an object, and removes it from memory: an object reads its storage when it starts. */
async function restoreObject({ tables, values, alarm, ...object }: StoredObject): Promise<void> {
  await runInDurableObject(objectOf(object), async (_object: unknown, { storage }) => {
    for (const { name, sql, rows } of tables) {
      // Some objects create their tables when they start.
      if (storage.sql.exec("SELECT 1 FROM sqlite_schema WHERE name = ?", name).toArray().length === 0)
        storage.sql.exec(sql);
      for (const row of rows) {
        const columns = Object.keys(row).map((column) => `"${column}"`);
        const places = columns.map(() => "?").join();
        storage.sql.exec(`INSERT INTO ${name} (${columns.join()}) VALUES (${places})`, ...Object.values(row));
      }
    }
    for (const [key, value] of values) storage.kv.put(key, value);
    if (alarm !== null) await storage.setAlarm(alarm);
  });
  await evictDurableObject(objectOf(object));
}
