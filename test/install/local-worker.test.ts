import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { buildWorker } from "../../scripts/shared/build-worker.ts";
import { withLocalDatabase } from "../../scripts/shared/local-database.ts";
import { keepSchedule, runSchedule } from "../../scripts/shared/local-schedule.ts";
import { readLocalSettings } from "../../scripts/shared/local-settings.ts";
import { startLocalWorker } from "../../scripts/shared/local-worker.ts";
import { freePort } from "../support/free-port.ts";

/** A Worker of its own, on a new database with the row of an expired key. */
async function startWorker() {
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  const home = await mkdtemp(join(tmpdir(), "gantry-local-"));
  onTestFinished(async () => await rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const state = join(home, "state");
  const settings = await readLocalSettings(build.bundle);
  await withLocalDatabase(
    state,
    settings,
    async (database) =>
      await database.exec(
        "INSERT INTO idempotency_keys (id, account_id, fingerprint, seed, created_at) VALUES ('old', '', '', '', 0)",
      ),
  );
  const worker = await startLocalWorker({
    port: await freePort(),
    state,
    bundle: build.bundle,
    settings,
    rateLimit: null,
    inspectorPort: null,
  });
  onTestFinished(() => worker.close());
  return { worker, state, settings };
}

it("a local Worker runs its cron trigger repeatedly", async () => {
  const { worker, state, settings } = await startWorker();
  let runs = 0;
  const run = async () => {
    await runSchedule(worker.url);
    runs += 1;
    if (runs === 2) end();
  };
  const end = keepSchedule(run, { firstAfterMs: 10, everyMs: 10 });
  onTestFinished(end);
  await vi.waitFor(() => expect(runs).toBe(2), { interval: 50 });
  await worker.close();

  const left = await withLocalDatabase(
    state,
    settings,
    async (database) => await database.prepare("SELECT id FROM idempotency_keys").all(),
  );
  expect(left.results).toEqual([]);
});

it("a local Worker loads a part of its bundle once, for requests that need it at the same time", async () => {
  const { worker } = await startWorker();
  const signIn = async () => {
    const body = JSON.stringify({ code: `gcode_${"0".repeat(40)}` });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${worker.url}/v1/sessions`, { method: "POST", headers, body })).status;
  };
  expect(await Promise.all([signIn(), signIn(), signIn(), signIn()])).toEqual([401, 401, 401, 401]);
});
