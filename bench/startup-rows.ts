import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../scripts/shared/root.ts";
import { bundleWorker, startupMs } from "../scripts/shared/startup-time.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 7;
const GOAL_MS = 50;

/** A Worker without code, for comparison. */
const EMPTY = {
  "wrangler.toml":
    'name = "empty"\nmain = "main.js"\ncompatibility_date = "2026-11-02"\nsend_metrics = false\n',
  "main.js": 'export default { fetch: () => new Response("") };\n',
};

/** Measures the CPU time that the Worker needs to start, in workerd, by wrangler's own profile of it. */
export async function measureStartup(home: string): Promise<Row[]> {
  const folder = join(home, "bench-empty-worker");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(EMPTY)) await writeFile(join(folder, name), text);
  const times = { empty: [] as number[], worker: [] as number[] };
  const bundles = { empty: await bundleIn(home, folder), worker: await bundleIn(home, root) };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.empty.push(await measured(bundles.empty));
    times.worker.push(await measured(bundles.worker));
  }
  const [floor, worker] = [median(times.empty), median(times.worker)];
  return [
    {
      what: "start of the Worker, CPU",
      measured: `${worker.toFixed(1)} ms`,
      against: `${floor.toFixed(1)} ms  an empty Worker`,
      ratio: `+${(worker - floor).toFixed(1)} ms`,
      goal: `≤ ${GOAL_MS} ms`,
      isMet: worker <= GOAL_MS,
    },
  ];
}

/** @param folder of the Worker's wrangler.toml */
async function bundleIn(home: string, folder: string): Promise<string> {
  const built = await mkdtemp(join(home, "bundle-"));
  const { code, output } = await bundleWorker(folder, built);
  if (code !== 0) throw new Error(`the bundle failed:\n${output}`);
  return join(built, "worker.bundle");
}

async function measured(bundle: string): Promise<number> {
  const ms = await startupMs(bundle);
  if (typeof ms === "string") throw new Error(`wrangler check startup failed:\n${ms}`);
  return ms;
}
