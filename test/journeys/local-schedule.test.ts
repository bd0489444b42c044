import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { buildWorker } from "../../scripts/parts/build-worker.ts";
import { keepSchedule, runSchedule } from "../../scripts/parts/local-schedule.ts";
import { startLocalWorker } from "../../scripts/parts/local-worker.ts";
import { freePorts } from "../support/journey-system.ts";

it("a Worker that is served locally does what its cron trigger does, again and again", async () => {
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  const home = await mkdtemp(join(tmpdir(), "gantry-schedule-"));
  onTestFinished(async () => await rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const worker = await startLocalWorker({
    port: await freePorts(),
    state: join(home, "state"),
    bundle: build.bundle,
    rateLimit: null,
    inspectorPort: null,
  });
  onTestFinished(() => worker.close());
  const end = keepSchedule(() => runSchedule(worker.url), { firstAfterMs: 10, everyMs: 10 });
  onTestFinished(end);
  for (const id of ["old", "older"]) {
    await worker.database
      .prepare(
        "INSERT INTO idempotency_keys (id, account_id, fingerprint, seed, created_at) VALUES (?, '', '', '', 0)",
      )
      .bind(id)
      .run();
    await vi.waitFor(
      async () =>
        expect(await worker.database.prepare("SELECT id FROM idempotency_keys").all()).toMatchObject({
          results: [],
        }),
      { timeout: 30_000, interval: 50 },
    );
  }
});
