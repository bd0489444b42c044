import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

import { buildDashboard } from "../shared/build-dashboard.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "../shared/run-command.ts";

type SizeOutcome = CommandOutcome & { readonly note?: string };

/** A Worker is loaded in many places, and a small one starts faster (docs/decisions.md). */
const MOST_WORKER_BYTES = 160_000;
/** The limit for all scripts that the first page of the dashboard needs. */
const MOST_DASHBOARD_BYTES = 40_000;

/** Bundles the Worker as for a release, and checks its compressed size. */
export async function checkBundleSize(): Promise<SizeOutcome> {
  const folder = join(root, "build", `bundle-check-${process.pid}`);
  try {
    const built = await runCommand(["wrangler", "deploy", "--dry-run", "--outdir", relative(root, folder)], {
      env: quietWrangler,
    });
    if (built.code !== 0) return built;
    return compare(
      gzipSync(await readFile(join(folder, "main.js"))).length,
      MOST_WORKER_BYTES,
      (size) => `The Worker's bundle is ${size}. \`npx esbuild --analyze\` shows what is in it.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds the dashboard, and checks the compressed size of the scripts that a browser loads first. */
export async function checkDashboardSize(): Promise<SizeOutcome> {
  const { files, firstScripts } = await buildDashboard();
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
