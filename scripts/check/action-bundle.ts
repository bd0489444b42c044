import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { bundleAction } from "../shared/build-action.ts";
import { root } from "../shared/root.ts";
import type { SizeOutcome } from "./sizes.ts";

/** Each job downloads the repository with the bundle, and people read it before they pin a commit. */
const MOST_BYTES = 150_000;

/** Checks that the tracked bundle of the action is made of today's sources, and its size. */
export async function checkActionBundle(): Promise<SizeOutcome> {
  const files = await bundleAction();
  for (const [path, text] of files) {
    const tracked = await readFile(join(root, path), "utf8").catch(() => null);
    if (tracked !== text) return { code: 1, output: `${path} is not what src/action gives.` };
  }
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const size = `${(bytes / 1000).toFixed(1)} kB of ${MOST_BYTES / 1000}`;
  return bytes <= MOST_BYTES
    ? { code: 0, output: "", note: size }
    : { code: 1, output: `The action is ${size}.` };
}
