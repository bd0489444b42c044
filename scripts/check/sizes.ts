import { rm } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import type { WorkerFile } from "../shared/bundle-worker.ts";
import { bundleClient } from "../client/build-client.ts";
import { buildDashboard } from "../shared/build-dashboard.ts";
import { buildReleaseBundle, packReleaseBundle } from "../shared/release-bundle.ts";
import { root } from "../shared/root.ts";
import type { CommandOutcome } from "../shared/run-command.ts";
import { startupMs } from "../shared/startup-time.ts";
import { packYardstick } from "../shared/yardstick-worker.ts";

/** `note`: the size, if it is not too large. */
export type SizeOutcome = CommandOutcome & { readonly note?: string };

/** A Worker is loaded in many places (docs/decisions.md). How long its start may take is limited separately. */
const MOST_WORKER_BYTES = 340_000;
/** What the start evaluates. The rest is loaded by the first request that needs it. */
const MOST_FIRST_BYTES = 190_000;
/** The limit for all scripts that the first page of the dashboard needs. */
const MOST_DASHBOARD_BYTES = 60_000;
/** The client for programs, which browsers load too. */
const MOST_CLIENT_BYTES = 15_000;
/** The font is compressed already. The first page is readable without it. */
const MOST_FONT_BYTES = 40_000;

/** The most CPU time for the start of the Worker, on a machine that starts the yardstick in `YARDSTICK_MS`. */
const MOST_STARTUP_MS = 50;
/**
 * Each start of the Worker is compared with one of the yardstick right after it, so that a slow or a busy machine does not
 * look like a slow Worker.
 */
const YARDSTICK_MS = 20;
/** The median counts, because other work on the machine distorts some of the pairs. */
const FEW_PAIRS = 3;
const MOST_PAIRS = 7;

/** Bundles the Worker as for a release, and checks its compressed size and how long it takes to start. */
export async function checkWorkerBundle(): Promise<SizeOutcome> {
  const folder = join(root, "build", `bundle-check-${process.pid}`);
  try {
    const built = await buildReleaseBundle(folder);
    if (!built.ok) return { code: 1, output: built.output };
    const all = compare(
      gzipSize(built.files),
      MOST_WORKER_BYTES,
      (text) => `The Worker's bundle is ${text}:\n${sizesOf(built.files)}`,
    );
    if (all.code !== 0) return all;
    const first = compare(
      gzipSize(built.files.filter(({ isFirst }) => isFirst)),
      MOST_FIRST_BYTES,
      (text) =>
        `What the start of the Worker evaluates is ${text}. Load what few requests need with a dynamic import (src/worker/routes/loaded-when-called.ts).`,
    );
    if (first.code !== 0) return first;
    const bundle = `${folder}.bundle`;
    const packed = await packReleaseBundle(folder, bundle);
    if (packed.code !== 0) return packed;
    const start = await checkStartup(bundle);
    return start.code === 0
      ? { ...start, note: [all, first, start].map(({ note }) => note).join(", ") }
      : start;
  } finally {
    for (const path of [folder, `${folder}.bundle`, `${folder}.bundle.yardstick`])
      await rm(path, { recursive: true, force: true });
  }
}

async function checkStartup(bundle: string): Promise<SizeOutcome> {
  const yardstick = `${bundle}.yardstick`;
  await packYardstick(yardstick);
  const times: number[] = [];
  let failure = "";
  for (let pair = 1; pair <= MOST_PAIRS; pair += 1) {
    const [worker, known] = [await startupMs(bundle), await startupMs(yardstick)];
    if (typeof worker === "string") failure = worker;
    else if (typeof known === "string") failure = known;
    else times.push((worker / known) * YARDSTICK_MS);
    // More pairs are measured only if the first ones are too slow.
    if (times.length >= FEW_PAIRS && median(times) <= MOST_STARTUP_MS) break;
  }
  const time = `${median(times).toFixed(0)} ms of ${MOST_STARTUP_MS} to start`;
  if (median(times) <= MOST_STARTUP_MS) return { code: 0, output: "", note: time };
  // The profiler gives up after 10 s.
  if (times.length < FEW_PAIRS && isOverloaded())
    return { code: 0, output: "", note: "its start time was not measured, because the machine is too busy" };
  if (times.length < FEW_PAIRS) return { code: 1, output: failure };
  const help = "`npx wrangler check startup` writes a profile that shows where it goes.";
  const where = `on a machine that starts the yardstick in ${YARDSTICK_MS} ms`;
  return { code: 1, output: `The Worker takes ${time}, ${where}. ${help}` };
}

/** @returns NaN of no times, which is below no limit */
function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
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

/** Checks the compressed size of the client for programs. With the schemas of the endpoint table it would be 70 kB. */
export async function checkClientSize(): Promise<SizeOutcome> {
  const bytes = gzipSync((await bundleClient()).code).length;
  return compare(bytes, MOST_CLIENT_BYTES, (size) => `The client for programs is ${size}.`);
}

function gzipSize(files: readonly WorkerFile[]): number {
  return files.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
}

/** A line for each file, the largest first. */
function sizesOf(files: readonly WorkerFile[]): string {
  const sizes = files.map((file) => ({ bytes: gzipSize([file]), file }));
  return sizes
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(({ bytes, file }) => `${(bytes / 1000).toFixed(1)} kB ${file.name}, ${file.sources.length} sources`)
    .join("\n");
}

function compare(bytes: number, most: number, tooLarge: (size: string) => string): SizeOutcome {
  const size = `${(bytes / 1000).toFixed(1)} kB gzip of ${most / 1000}`;
  return bytes <= most ? { code: 0, output: "", note: size } : { code: 1, output: tooLarge(size) };
}
