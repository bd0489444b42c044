import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { buildReleaseBundle, packReleaseBundle } from "../scripts/shared/release-bundle.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "../scripts/shared/run-command.ts";
import { startupMs } from "../scripts/shared/startup-time.ts";
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
  const bundles = { empty: await bundleEmpty(folder), worker: await bundleWorker(home) };
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

/** @param folder of its wrangler.toml */
async function bundleEmpty(folder: string): Promise<string> {
  const bundle = join(folder, "worker.bundle");
  const files = ["--outdir", join(folder, "bundle"), "--outfile", bundle] as const;
  const env = quietWrangler;
  refuseFailure(await runCommand(["wrangler", "deploy", "--dry-run", ...files], { cwd: folder, env }));
  return bundle;
}

/** The Worker as it is released. */
async function bundleWorker(home: string): Promise<string> {
  const folder = await mkdtemp(join(home, "bundle-"));
  const bundle = `${folder}.bundle`;
  const built = await buildReleaseBundle(folder);
  if (!built.ok) throw new Error(`the bundle failed:\n${built.output}`);
  refuseFailure(await packReleaseBundle(folder, bundle));
  return bundle;
}

function refuseFailure({ code, output }: CommandOutcome): void {
  if (code !== 0) throw new Error(`the bundle failed:\n${output}`);
}

async function measured(bundle: string): Promise<number> {
  const ms = await startupMs(bundle);
  if (typeof ms === "string") throw new Error(`wrangler check startup failed:\n${ms}`);
  return ms;
}
