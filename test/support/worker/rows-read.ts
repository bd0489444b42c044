import { env } from "cloudflare:workers";

import { onCalls } from "./intercept.ts";
import { onPrepare } from "./statements.ts";

type Asked = { readonly text: string; readonly values: readonly unknown[] };

/**
 * How many rows D1 reads for the queries that are made while `act` runs: each is made once more for that, because D1
 * tells it only with an answer's metadata. D1 is paid for by this number.
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
