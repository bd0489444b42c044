import { env } from "cloudflare:workers";

import { onCalls } from "./intercept.ts";
import { onPrepare } from "./statements.ts";

type Asked = { readonly text: string; readonly values: readonly unknown[] };

/**
 * The number of rows that D1 reads for the queries during `act`. Each query runs once more for this, because D1 reports
 * the number only in a result's metadata. D1 is billed by this number.
 */
export async function rowsReadFor(act: () => Promise<unknown>): Promise<number> {
  const asked: Asked[] = [];
  const stop = onPrepare((text, statement) => {
    if (/^\s*select/i.test(text)) onCalls(statement, "bind", (values) => asked.push({ text, values }));
  });
  await act();
  stop();
  let rows = 0;
  for (const { text, values } of asked) {
    const { meta } = await env.DB.prepare(text)
      .bind(...values)
      .all();
    rows += meta.rows_read;
  }
  return rows;
}
