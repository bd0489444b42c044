import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";

import { onPrepare } from "./statements.ts";

type Method = (this: object, ...values: unknown[]) => unknown;
type Result = { readonly meta: { readonly rows_read: number } };

/** A statement and how many rows D1 read for it. D1 is billed by this number. */
export type RowsRead = { readonly text: string; readonly rows: number };

/** The statements during `act`, also statements of Durable Objects, with the rows that D1 read for each. */
export async function statementsOf(act: () => Promise<unknown>): Promise<RowsRead[]> {
  const found: RowsRead[] = [];
  const texts = new WeakMap<object, string>();
  const stops = [onPrepare((text, statement) => texts.set(statement, text))];
  const note = (statement: unknown, result: unknown) => {
    if (!isResult(result)) return;
    const text = typeof statement === "object" && statement !== null ? texts.get(statement) : undefined;
    found.push({ text: text ?? "", rows: result.meta.rows_read });
  };
  const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
  const replace = (owner: object, name: string, instead: (original: Method) => Method) => {
    const original: unknown = Reflect.get(owner, name);
    if (!isMethod(original)) throw new Error(`there is no method ${name}`);
    const put = (value: unknown) =>
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    put(instead(original));
    const stop = () => void put(original);
    onTestFinished(stop);
    stops.push(stop);
  };
  replace(
    statement,
    "bind",
    (bind) =>
      function (...values) {
        const bound: unknown = Reflect.apply(bind, this, values);
        if (typeof bound === "object" && bound !== null) texts.set(bound, texts.get(this) ?? "");
        return bound;
      },
  );
  for (const name of ["run", "all"])
    replace(
      statement,
      name,
      (original) =>
        async function (...values) {
          const result: unknown = await Reflect.apply(original, this, values);
          note(this, result);
          return result;
        },
    );
  // Its result has no metadata, so the query runs once more. Only reads use it.
  replace(
    statement,
    "raw",
    (original) =>
      async function (...values) {
        const result: unknown = await Reflect.apply(original, this, values);
        await Reflect.apply(Reflect.get(statement, "all"), this, []);
        return result;
      },
  );
  for (const owner of databasePrototypes())
    replace(
      owner,
      "batch",
      (original) =>
        async function (...values) {
          const results: unknown = await Reflect.apply(original, this, values);
          const [statements] = values;
          if (Array.isArray(results) && Array.isArray(statements))
            results.forEach((result, at) => note(statements[at], result));
          return results;
        },
    );
  await act();
  for (const stop of stops) stop();
  return found;
}

/** The number of rows that D1 reads during `act`. */
export async function rowsReadFor(act: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(act)).reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * The prototype of a session. Its batches include the database's batches, because the database passes them to its own
 * session.
 */
function databasePrototypes(): object[] {
  return [env.DB.withSession()].map((database): object => Object.getPrototypeOf(database));
}

function isMethod(value: unknown): value is Method {
  return typeof value === "function";
}

function isResult(value: unknown): value is Result {
  if (typeof value !== "object" || value === null) return false;
  const meta: unknown = Reflect.get(value, "meta");
  return typeof meta === "object" && meta !== null && typeof Reflect.get(meta, "rows_read") === "number";
}
