import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../scripts/shared/root.ts";
import { quietWrangler, runCommand } from "../scripts/shared/run-command.ts";
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
  for (let round = 0; round < ROUNDS; round += 1) {
    times.empty.push(await startupMs(home, folder));
    times.worker.push(await startupMs(home, root));
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

/** @param folder of the Worker's wrangler.toml: `check startup` ignores `--config` */
async function startupMs(home: string, folder: string): Promise<number> {
  const outfile = join(home, "startup.cpuprofile");
  const { code, output } = await runCommand(["wrangler", "check", "startup", "--outfile", outfile], {
    cwd: folder,
    env: quietWrangler,
  });
  const active = /Active: ([\d.]+) ms/.exec(output)?.[1];
  if (code !== 0 || active === undefined) throw new Error(`wrangler check startup failed:\n${output}`);
  return Number(active);
}
