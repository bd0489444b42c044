import { env } from "cloudflare:workers";

import { onCalls } from "./intercept.ts";

/** What asks D1: the database itself, and the session of a request or of a lane's write. */
export function databasePrototypes(): object[] {
  return [env.DB, env.DB.withSession()].map((database): object => Object.getPrototypeOf(database));
}

/** Tells of every statement that is prepared for D1 during the test, by requests and Durable Objects alike. */
export function onPrepare(listener: (text: string, statement: object) => void): () => void {
  const stops = databasePrototypes().map((prototype) =>
    onCalls(prototype, "prepare", ([text], statement) => {
      if (typeof text === "string" && typeof statement === "object" && statement !== null)
        listener(text, statement);
    }),
  );
  return () => stops.forEach((stop) => stop());
}

/** Notes the text of every statement from now on, until the test ends. */
export function recordStatements(): string[] {
  const statements: string[] = [];
  onPrepare((text) => statements.push(text));
  return statements;
}
