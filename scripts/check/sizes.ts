import { readFile, rm } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { buildDashboard } from "../shared/build-dashboard.ts";
import { buildReleaseBundle, packReleaseBundle, releasedFile } from "../shared/release-bundle.ts";
import { root } from "../shared/root.ts";
import type { CommandOutcome } from "../shared/run-command.ts";
import { startupMs } from "../shared/startup-time.ts";

type SizeOutcome = CommandOutcome & { readonly note?: string };

/** A Worker is loaded in many places, and a small one starts faster (docs/decisions.md). */
const MOST_WORKER_BYTES = 160_000;
/** The limit for all scripts that the first page of the dashboard needs. */
const MOST_DASHBOARD_BYTES = 60_000;
/** The font is compressed already. The first page is readable without it. */
const MOST_FONT_BYTES = 40_000;

/** The most CPU time for the start of the Worker, on an idle machine. */
const MOST_STARTUP_MS = 50;
/** How many starts are measured. The best one counts, because a busy machine slows down some. */
const MOST_STARTS = 4;

/** Bundles the Worker as for a release, and checks its compressed size and how long it takes to start. */
export async function checkWorkerBundle(): Promise<SizeOutcome> {
  const folder = join(root, "build", `bundle-check-${process.pid}`);
  try {
    const built = await buildReleaseBundle(folder);
    if (built.code !== 0) return built;
    const size = compare(
      gzipSync(await readFile(releasedFile(folder))).length,
      MOST_WORKER_BYTES,
      (text) => `The Worker's bundle is ${text}. \`npx esbuild --analyze\` shows what is in it.`,
    );
    if (size.code !== 0) return size;
    const bundle = join(folder, "worker.bundle");
    const packed = await packReleaseBundle(folder, bundle);
    if (packed.code !== 0) return packed;
    const start = await checkStartup(bundle);
    return start.code === 0 ? { ...start, note: `${size.note ?? ""}, ${start.note ?? ""}` } : start;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkStartup(bundle: string): Promise<SizeOutcome> {
  let best = Number.POSITIVE_INFINITY;
  let failure = "";
  for (let start = 0; start < MOST_STARTS && best > MOST_STARTUP_MS; start += 1) {
    const measured = await startupMs(bundle);
    if (typeof measured === "number") best = Math.min(best, measured);
    else failure = measured;
  }
  if (best <= MOST_STARTUP_MS)
    return { code: 0, output: "", note: `${best.toFixed(0)} ms of ${MOST_STARTUP_MS} to start` };
  // On a busy machine the measured time is too long, and the profiler may give up after 10 s.
  if (isOverloaded())
    return { code: 0, output: "", note: "its start time was not measured, because the machine is too busy" };
  const help = "`npx wrangler check startup` writes a profile that shows where it goes.";
  const time = `The Worker takes ${best.toFixed(0)} ms of ${MOST_STARTUP_MS} to start. ${help}`;
  return { code: 1, output: best === Number.POSITIVE_INFINITY ? failure : time };
}

/** Whether more than two processes have waited for each core in the last minute. */
function isOverloaded(): boolean {
  const [load = 0] = loadavg();
  return load > 2 * availableParallelism();
}

/** Builds the dashboard, and checks the compressed size of the scripts that a browser loads first, and its font's. */
export async function checkDashboardSize(): Promise<SizeOutcome> {
  const { files, firstScripts, fontBytes } = await buildDashboard();
  if (fontBytes > MOST_FONT_BYTES) {
    const size = `${(fontBytes / 1000).toFixed(1)} kB of ${MOST_FONT_BYTES / 1000}`;
    return { code: 1, output: `The dashboard's font is ${size}.` };
  }
  const bytes = firstScripts.reduce((sum, path) => sum + gzipSync(files.get(path) ?? "").length, 0);
  return compare(
    bytes,
    MOST_DASHBOARD_BYTES,
    (size) => `The scripts of the dashboard's first page are ${size}.`,
  );
}

function compare(bytes: number, most: number, tooLarge: (size: string) => string): SizeOutcome {
  const size = `${(bytes / 1000).toFixed(1)} kB gzip of ${most / 1000}`;
  return bytes <= most ? { code: 0, output: "", note: size } : { code: 1, output: tooLarge(size) };
}
