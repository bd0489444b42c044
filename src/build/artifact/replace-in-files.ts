import { readFile, stat, utimes, writeFile } from "node:fs/promises";

import { type ByteText, byteTextOf, fromBytes, toBytes } from "#build/artifact/byte-text.ts";

/** Larger files with the path of a release are data, and reading them whole would take too much memory. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Replaces a path in text files: in the first lines of scripts, and in files that list folders, as virtual environments of
 * Python have them. Programs and other binary files stay as they are.
 * @param paths of files below `root`
 */
export async function replaceInFiles(
  root: string,
  paths: readonly ByteText[],
  { from, to }: { readonly from: ByteText; readonly to: ByteText },
  signal: AbortSignal,
): Promise<void> {
  // Not the path of release 12 in the path of release 123.
  const pattern = new RegExp(`${from.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![0-9A-Za-z_-])`, "g");
  for (const path of paths) {
    signal.throwIfAborted();
    const place = toBytes(`${byteTextOf(root)}/${path}`);
    const { size, mtime } = await stat(place);
    if (size > MAX_BYTES) continue;
    const content = await readFile(place);
    if (content.includes(0)) continue;
    await writeFile(place, toBytes(fromBytes(content).replaceAll(pattern, () => to)));
    await utimes(place, mtime, mtime);
  }
}
