import { env } from "cloudflare:workers";

import { onCalls } from "./intercept.ts";

/** The prototypes that prepare statements for D1: the database, and a D1 session. */
export function databasePrototypes(): object[] {
  return [env.DB, env.DB.withSession()].map((database): object => Object.getPrototypeOf(database));
}

/** Calls a listener for each statement that a request or a Durable Object prepares for D1, until the test ends. */
export function onPrepare(listener: (text: string, statement: object) => void): () => void {
  const stops = databasePrototypes().map((prototype) =>
    onCalls(prototype, "prepare", ([text], statement) => {
      if (typeof text === "string" && typeof statement === "object" && statement !== null)
        listener(text, statement);
    }),
  );
  return () => stops.forEach((stop) => stop());
}

/** Records the text of every statement until the test ends. */
export function recordStatements(): string[] {
  const statements: string[] = [];
  onPrepare((text) => statements.push(text));
  return statements;
}
