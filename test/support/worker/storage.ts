import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect } from "vitest";

import { renewIds } from "./account.ts";

const migrations = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).join(";\n");

/** The statements that create the migrated schema. They take half as long as the migrations. */
let schema: string | null = null;

let isShared = false;

/** A read that the last test has left behind undoes one reset, and hardly a second one. */
const MAX_RESETS = 50;

async function emptyStorage(): Promise<void> {
  // Waits for writes that the last test's requests make after their responses.
  await env.DB.prepare("SELECT 1").run();
  for (let tries = 1; ; tries += 1) {
    await reset();
    if (await createTables()) break;
    if (tries === MAX_RESETS) throw new Error("something writes to the database after the end of its test");
  }
  schema ??= await readSchema();
  renewIds();
}

/** Returns false if they exist: a read that the last test has left behind, such as an EventFeed's, can undo the reset. */
async function createTables(): Promise<boolean> {
  try {
    // Takes two thirds as long as a batch, which takes less than half as long as applyD1Migrations.
    await env.DB.prepare(schema ?? migrations).run();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("table `accounts` already exists")) return false;
    throw error;
  }
}

async function readSchema(): Promise<string> {
  const statements = env.DB.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY rowid",
  );
  const { results } = await statements.all<{ sql: string }>();
  return results.map(({ sql }) => sql).join(";\n");
}

/** Empties the storage, unless the test's `describe` block shares it. */
export async function prepareStorage(): Promise<void> {
  if (!isShared) await emptyStorage();
}

/** More rows of a table are only counted. */
const MOST_COMPARED = 1_000;

/** What requests change. A test may add tokens. */
async function readRows(): Promise<unknown> {
  const tables = ["accounts", "servers", "projects", "deployments", "variable_revisions"];
  const results = await env.DB.batch(
    tables.flatMap((table) => [
      env.DB.prepare(`SELECT count(*) FROM ${table}`),
      env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2 LIMIT ${MOST_COMPARED}`),
    ]),
  );
  return results.map((result) => result.results);
}

/**
 * Creates something once for all tests of a `describe` block, which share the storage. Creating it takes longer than
 * most tests. Their requests must change nothing, which this function checks.
 */
export function share<Shared>(create: () => Promise<Shared>): () => Shared {
  let created: { readonly shared: Shared; readonly rows: unknown } | null = null;
  beforeAll(async () => {
    await emptyStorage();
    created = { shared: await create(), rows: await readRows() };
    isShared = true;
  });
  afterAll(async () => {
    isShared = false;
    expect(await readRows()).toEqual(created?.rows);
  });
  return () => {
    if (created === null) throw new Error("call this in a test");
    return created.shared;
  };
}
