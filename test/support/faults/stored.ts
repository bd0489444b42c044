import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import * as z from "zod";

// Where Miniflare keeps what a Worker has stored, below an installation's home.

/** For so long a reader waits while the Worker checkpoints or recovers the database. */
const LOCKED_MS = 10_000;

const Row = z.record(z.string(), z.unknown());

/** Reads a database that the Worker has open, without disturbing it. */
export function query(path: string, sql: string): z.infer<typeof Row>[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
  try {
    return z.array(Row).parse(database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/** The databases of one class of objects. */
export const databasesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"))
    .map((name) => join(folder, name));

/** The keys of everything in R2. */
export function logObjectKeys(home: string): string[] {
  return query(bucketOf(home), "SELECT key FROM _mf_objects").map(({ key }) => String(key));
}

/** The keys of uploads that were begun and neither completed nor given up. */
export function unfinishedUploads(home: string): string[] {
  const sql = "SELECT key FROM _mf_multipart_uploads WHERE state = 0";
  return query(bucketOf(home), sql).map(({ key }) => String(key));
}

function bucketOf(home: string): string {
  const [bucket] = databasesIn(join(home, "state/v3/r2/miniflare-R2BucketObject"));
  if (bucket === undefined) throw new Error("there is no bucket");
  return bucket;
}
