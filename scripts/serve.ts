// A separate process, so that the supervisor of npm start can end it together with its workerd.
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import * as z from "zod";

import { buildWorker } from "./shared/build-worker.ts";
import { ensureToken } from "./shared/ensure-token.ts";
import { type LocalWorker, startLocalWorker } from "./shared/local-worker.ts";
import { type LocalDatabase, migrate, runStatements, withLocalDatabase } from "./shared/local-database.ts";
import { readLocalSettings } from "./shared/local-settings.ts";
import { keepSchedule, runSchedule } from "./shared/local-schedule.ts";
import { flag, home, option, readOptions } from "./shared/script.ts";
import { newSignInCode } from "./shared/sign-in-code.ts";
import type { WorkerReady } from "./shared/worker-ready.ts";
import { port, startScript } from "./start/options.ts";

/** How long Miniflare may take to close its files. */
const CLOSE_TIMEOUT_MS = 3_000;

const options = readOptions({
  usage: "node scripts/serve.ts [options]",
  summary: "Serves the built Worker on this machine. `npm start` runs this program.",
  options: z.object({
    port,
    home,
    bundle: option("FILE", "the built Worker; builds it by default", z.string().optional()),
    "rate-limit": startScript.options.shape["rate-limit"],
    inspect: startScript.options.shape.inspect,
    again: flag("skip the migration and the first token: an earlier process did both"),
  }),
});

let worker: LocalWorker | null = null;
let endSchedule: (() => void) | null = null;
let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS).unref();
  endSchedule?.();
  await worker?.close();
  process.exit(0);
}
for (const event of ["SIGTERM", "SIGINT", "disconnect"]) process.on(event, () => void end());
// The parent may have ended before this process listened for it.
if (process.send !== undefined && !process.connected) void end();

async function bundlePath(): Promise<string> {
  if (options.bundle !== undefined) return resolve(options.bundle);
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  return build.bundle;
}

const bundle = await bundlePath();
const settings = await readLocalSettings(bundle);
const state = resolve(options.home, "state");

/** Creates a token and a sign-in code. */
async function prepare(database: LocalDatabase) {
  const { token, accountId } = await ensureToken(database, resolve(options.home, "token"), Date.now());
  const { code, statement } = newSignInCode({ id: accountId }, Date.now());
  await runStatements(database, [statement]);
  return { token, account_id: accountId, sign_in_code: code };
}

/** In a new home nobody has a token yet whose request could meet a database that is not migrated. */
async function prepareServed(started: LocalWorker) {
  const database = await started.database();
  await migrate(database, settings.migrations);
  return prepare(database);
}

// Without a runtime of its own for the database, the first start takes two fifths less CPU time.
const isNew = !options.again && !existsSync(state);
// A restart skips the preparation too.
const preparedBefore = options.again || isNew ? null : await withLocalDatabase(state, settings, prepare);
worker = await startLocalWorker({
  port: options.port,
  state,
  bundle,
  settings,
  rateLimit: options["rate-limit"],
  inspectorPort: options.inspect,
});
const prepared = isNew ? await prepareServed(worker) : preparedBefore;
const served = worker;
endSchedule = keepSchedule(() => runSchedule(served.url));
if (process.send === undefined)
  console.log(`${served.url} with the token in ${resolve(options.home, "token")}`);
else if (prepared !== null)
  process.send({ type: "ready", url: served.url, ...prepared } satisfies WorkerReady);
