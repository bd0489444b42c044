import { type SQL, sql } from "drizzle-orm";

import { MAX_VALUE_BOXES } from "#contract/endpoints/variables/schemas.ts";
import { list } from "#worker/db/statements.ts";
import { variables } from "#worker/db/variable-tables.ts";

/**
 * Whether a secret has no box for one of the keys that are needed, an object with a 0 for each fingerprint. The patch replaces the 0 of each key that has a box, which has no
 * colon. Without `json_each`, because D1 bills its rows: as many as servers for each secret.
 */
export function isMissingBox(needed: SQL): SQL {
  const { sealed } = variables;
  const fingerprint = (at: number) =>
    sql`coalesce(${sealed} ->> ${sql.raw(`'$[${at}].fingerprint'`)}, '-'), ''`;
  const ofList = Array.from({ length: MAX_VALUE_BOXES }, (_, at) => fingerprint(at));
  const boxes = sql`coalesce(${sealed} -> '$.boxes', json_object(${list(ofList)}))`;
  return sql`instr(json_patch(${needed}, ${boxes}), ':0') > 0`;
}
