// One process of its own, so that the supervisor in start.ts can end it together with its workerd.
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { buildWorker } from "./parts/build-worker.ts";
import { ensureToken } from "./parts/ensure-token.ts";
import { type LocalWorker, startLocalWorker } from "./parts/local-worker.ts";
import { withLocalDatabase } from "./parts/local-database.ts";
import { readLocalSettings } from "./parts/local-settings.ts";
import { keepSchedule, runSchedule } from "./parts/local-schedule.ts";
import { newSignInCode } from "./parts/sign-in-code.ts";
import type { WorkerReady } from "./parts/worker-ready.ts";

/** How long Miniflare may take to put its files away. */
const CLOSE_TIMEOUT_MS = 3_000;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8787" },
    home: { type: "string", default: ".gantry" },
    bundle: { type: "string" },
    "rate-limit": { type: "string" },
    inspect: { type: "string" },
  },
});
const home = resolve(values.home);

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
// The parent may have been gone before anybody listened.
if (process.send !== undefined && !process.connected) void end();

async function bundlePath(): Promise<string> {
  if (values.bundle !== undefined) return resolve(values.bundle);
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  return build.bundle;
}

const bundle = await bundlePath();
const settings = await readLocalSettings(bundle);
const state = resolve(home, "state");
const { token, accountId, signInCode } = await withLocalDatabase(state, settings, async (database) => {
  const local = await ensureToken(database, resolve(home, "token"), "local", Date.now());
  const { code, statement } = newSignInCode({ id: local.accountId }, Date.now());
  const { sql, parameters } = statement;
  await database
    .prepare(sql)
    .bind(...parameters)
    .run();
  return { ...local, signInCode: code };
});
worker = await startLocalWorker({
  port: Number(values.port),
  state,
  bundle,
  settings,
  rateLimit: values["rate-limit"] === undefined ? null : Number(values["rate-limit"]),
  inspectorPort: values.inspect === undefined ? null : Number(values.inspect),
});
const served = worker;
endSchedule = keepSchedule(() => runSchedule(served.url));
const ready: WorkerReady = {
  type: "ready",
  url: worker.url,
  token,
  account_id: accountId,
  sign_in_code: signInCode,
};
if (process.send === undefined) console.log(`${worker.url} with the token in ${resolve(home, "token")}`);
else process.send(ready);
