import { env } from "cloudflare:workers";

import { onCalls } from "./intercept.ts";
import { onPrepare } from "./statements.ts";

const TABLE = /^\s*(?:insert into|update|delete from) "?(\w+)"?/i;

/**
 * Records the writes to D1 until the test ends, from any part of the Worker: for each transaction, the table of each
 * statement that changes rows. A transaction that only reads is left out.
 */
export function recordWrites(): string[][] {
  const written: string[][] = [];
  const texts = new WeakMap<object, string>();
  const note = (statements: readonly unknown[]) => {
    const tables = statements.flatMap((one) => {
      const text = typeof one === "object" && one !== null ? texts.get(one) : undefined;
      return TABLE.exec(text ?? "")?.[1] ?? [];
    });
    if (tables.length > 0) written.push(tables);
  };
  onPrepare((text, prepared) => {
    onCalls(prepared, "bind", (_values, bound) => {
      if (typeof bound !== "object" || bound === null) return;
      texts.set(bound, text);
      for (const method of ["run", "all", "raw"]) onCalls(bound, method, () => note([bound]));
    });
  });
  // The database hands its batches to a session too.
  const session: object = Object.getPrototypeOf(env.DB.withSession());
  onCalls(session, "batch", ([statements]) => note(Array.isArray(statements) ? statements : []));
  return written;
}
