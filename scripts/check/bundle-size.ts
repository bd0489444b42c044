import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

import { root } from "../shared/root.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "../shared/run-command.ts";

/** A Worker is loaded in many places, and a small one starts faster (docs/decisions.md). */
const MOST_BYTES = 160_000;

/** Bundles the Worker as for a release, and checks its compressed size. */
export async function checkBundleSize(): Promise<CommandOutcome & { readonly note?: string }> {
  const folder = join(root, "build", `bundle-check-${process.pid}`);
  try {
    const built = await runCommand(["wrangler", "deploy", "--dry-run", "--outdir", relative(root, folder)], {
      env: quietWrangler,
    });
    if (built.code !== 0) return built;
    const bytes = gzipSync(await readFile(join(folder, "main.js"))).length;
    const size = `${(bytes / 1000).toFixed(1)} kB gzip of ${MOST_BYTES / 1000}`;
    return bytes <= MOST_BYTES
      ? { code: 0, output: "", note: size }
      : { code: 1, output: `The Worker's bundle is ${size}. \`npx esbuild --analyze\` shows what is in it.` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
