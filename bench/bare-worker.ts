import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { freePort } from "../test/support/free-port.ts";

const WORKER = `export default {
  async fetch(request, env) {
    const id = new URL(request.url).pathname.slice(1);
    const row = await env.DB.prepare("select id, name, created_at from things where id = ?").bind(id).first();
    return Response.json(row);
  },
};`;

const ID = "thing_01hzx3v9k2m4n6p8q0r2s4t6v8";

export type BareWorker = {
  /** The URL that reads its only row. */
  readonly url: string;
  close(): Promise<void>;
};

/** Serves a Worker that makes one D1 read by primary key, in the same runtime and with the same settings as `npm start`. */
export async function startBareWorker(home: string): Promise<BareWorker> {
  const port = await freePort();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: false,
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: join(home, "bare-worker"),
      workers: [
        {
          name: "bare",
          compatibilityDate: "2026-11-02",
          modules: true,
          script: WORKER,
          d1Databases: { DB: "bare" },
        },
      ],
    }),
  );
  await miniflare.ready;
  const database = await miniflare.getD1Database("DB");
  await database.exec(
    "create table things (id text primary key, name text not null, created_at integer not null)",
  );
  await database.prepare("insert into things values (?, 'thing', 1700000000000)").bind(ID).run();
  return { url: `http://127.0.0.1:${port}/${ID}`, close: () => miniflare.dispose() };
}
