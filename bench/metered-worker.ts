import { readFile } from "node:fs/promises";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import * as z from "zod/mini";

import { persistencePath } from "../scripts/shared/local-database.ts";
import { readLocalSettings } from "../scripts/shared/local-settings.ts";
import { freePort } from "../test/support/free-port.ts";

/** The built Worker with a database that notes what D1 reports of each statement, and two paths of its own. */
const ENTRY = `import worker from "./main.js";
export * from "./main.js";

// The log of requests.
console.log = () => {};

let statements = [];

const note = (text, { meta }) => {
  statements.push({ text, rows: meta.rows_read, written: meta.rows_written });
};

// \`raw\` reports nothing, so it is made of \`all\`.
const metered = (text, statement) => ({
  statement,
  text,
  bind: (...values) => metered(text, statement.bind(...values)),
  async all() {
    const result = await statement.all();
    note(text, result);
    return result;
  },
  async run() {
    const result = await statement.run();
    note(text, result);
    return result;
  },
  async raw() {
    return (await this.all()).results.map(Object.values);
  },
});

const meter = (database) => ({
  prepare: (text) => metered(text, database.prepare(text)),
  async batch(all) {
    const results = await database.batch(all.map(({ statement }) => statement));
    results.forEach((result, at) => note(all[at].text, result));
    return results;
  },
  withSession: (from) => meter(database.withSession(from)),
  getBookmark: () => database.getBookmark(),
});

export default {
  async fetch(request, env, context) {
    const own = { ...env, DB: meter(env.DB) };
    switch (new URL(request.url).pathname) {
      case "/bench/schedule":
        await worker.scheduled({}, own, context);
        return new Response();
      case "/bench/statements": {
        const found = statements;
        statements = [];
        return Response.json(found);
      }
      default:
        return await worker.fetch(request, own, context);
    }
  },
};
`;

const Statements = z.array(z.object({ text: z.string(), rows: z.number(), written: z.number() }));

/** What D1 reports of a statement: the rows that it read and wrote. */
export type MeteredStatement = z.infer<typeof Statements>[number];

export type MeteredWorker = {
  readonly url: string;
  /** Runs what the cron trigger runs. */
  runSchedule(): Promise<void>;
  /** The statements since the last call, without statements of objects. */
  statements(): Promise<MeteredStatement[]>;
  close(): Promise<void>;
};

/** Serves the built Worker on a database that is migrated. @param bundle the file that buildWorker built */
export async function startMeteredWorker(state: string, bundle: string): Promise<MeteredWorker> {
  const { worker } = await readLocalSettings(bundle);
  const port = await freePort();
  const { assets: _assets, ratelimits: _limits, ...settings } = worker;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: {},
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: persistencePath(state),
      workers: [
        {
          ...settings,
          name: "gantry",
          bindings: { ...settings.bindings, RATE_LIMIT: "0", PUBLIC_URL: "", WORKERS_PLAN: "paid" },
          modules: [
            { type: "ESModule", path: "entry.js", contents: ENTRY },
            { type: "ESModule", path: "main.js", contents: await readFile(bundle, "utf8") },
          ],
        },
      ],
    }),
  );
  await miniflare.ready;
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.text();
  };
  return {
    url,
    runSchedule: async () => void (await ask("/bench/schedule")),
    statements: async () => Statements.parse(JSON.parse(await ask("/bench/statements"))),
    close: () => miniflare.dispose(),
  };
}
