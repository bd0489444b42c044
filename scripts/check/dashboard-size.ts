import { gzipSync } from "node:zlib";

import { buildDashboard } from "../shared/build-dashboard.ts";
import type { CommandOutcome } from "../shared/run-command.ts";

/** The limit for all scripts that the first page of the dashboard needs. */
const MOST_BYTES = 40_000;

/** Builds the dashboard, and checks the compressed size of the scripts that a browser loads first. */
export async function checkDashboardSize(): Promise<CommandOutcome & { readonly note?: string }> {
  const { files, firstScripts } = await buildDashboard();
  const bytes = firstScripts.reduce((sum, path) => sum + gzipSync(files.get(path) ?? "").length, 0);
  const size = `${(bytes / 1000).toFixed(1)} kB gzip of ${MOST_BYTES / 1000}`;
  return bytes <= MOST_BYTES
    ? { code: 0, output: "", note: size }
    : { code: 1, output: `The scripts of the dashboard's first page are ${size}.` };
}
