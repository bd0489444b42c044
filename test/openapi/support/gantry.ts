import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildWorker } from "../../../scripts/parts/build-worker.ts";
import { newToken } from "../../../scripts/parts/first-token.ts";
import { withLocalDatabase } from "../../../scripts/parts/local-database.ts";
import { startLocalWorker } from "../../../scripts/parts/local-worker.ts";

/** The built Worker, serving a database of its own. */
export type Gantry = {
  readonly url: string;
  /** Of an account with nothing in it. */
  readonly token: string;
  /** Of another such account. */
  readonly othersToken: string;
  close(): Promise<void>;
};

export async function startGantry(): Promise<Gantry> {
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  const home = await mkdtemp(join(tmpdir(), "gantry-openapi-"));
  const state = join(home, "state");
  const [ours, others] = [
    newToken({ name: "Ours" }, "test", Date.now()),
    newToken({ name: "Theirs" }, "test", Date.now()),
  ];
  await withLocalDatabase(state, async (database) => {
    const statements = [ours, others].flatMap((made) => made.statements);
    await database.batch(statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters)));
  });
  const worker = await startLocalWorker({
    port: await freePort(),
    state,
    bundle: build.bundle,
    rateLimit: null,
    inspectorPort: null,
  });
  return {
    url: worker.url,
    token: ours.token,
    othersToken: others.token,
    async close() {
      await worker.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("no port"));
      });
    });
  });
}
