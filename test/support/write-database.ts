import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { renderStatement, type Statement } from "../../scripts/shared/first-token.ts";
import { databasesIn } from "./faults/stored.ts";

/** How long a write waits while the Worker writes. */
const LOCKED_MS = 10_000;

/**
 * Runs statements on the database that an installation's Worker has open. The same as `executeStatements`, whose
 * wrangler takes two seconds of CPU time. @param home the folder of `npm start`
 */
export function writeDatabase(home: string, statements: readonly Statement[]): void {
  const [path] = databasesIn(join(home, "state/v3/d1/miniflare-D1DatabaseObject"));
  if (path === undefined) throw new Error(`there is no database in ${home}`);
  const database = new DatabaseSync(path, { timeout: LOCKED_MS });
  try {
    database.exec(`BEGIN IMMEDIATE;\n${statements.map(renderStatement).join("\n")}\nCOMMIT;`);
  } finally {
    database.close();
  }
}
