import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import * as z from "zod";

// Reads the files in which Miniflare stores a Worker's data, below an installation's home.

/** How long a read waits while the Worker checkpoints or recovers the database. */
const LOCKED_MS = 10_000;

const Row = z.record(z.string(), z.unknown());

/** Reads a database that the Worker has open, without locking it. */
export function query(path: string, sql: string): z.infer<typeof Row>[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
  try {
    return z.array(Row).parse(database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/** The databases of one Durable Object class. */
export const databasesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"))
    .map((name) => join(folder, name));

/** The keys of all objects in R2, except the seals of the audit log. */
export function logObjectKeys(home: string): string[] {
  const sql = "SELECT key FROM _mf_objects WHERE key NOT LIKE 'seals/%'";
  return query(bucketOf(home), sql).map(({ key }) => String(key));
}

/** The keys of multipart uploads that were neither completed nor aborted. */
export function unfinishedUploads(home: string): string[] {
  const sql = "SELECT key FROM _mf_multipart_uploads WHERE state = 0";
  return query(bucketOf(home), sql).map(({ key }) => String(key));
}

function bucketOf(home: string): string {
  const [bucket] = databasesIn(join(home, "state/v3/r2/miniflare-R2BucketObject"));
  if (bucket === undefined) throw new Error("R2 has no bucket");
  return bucket;
}
