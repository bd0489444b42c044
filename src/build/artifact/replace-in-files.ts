import { readFile, stat, utimes, writeFile } from "node:fs/promises";

import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, byteTextOf, fromBytes, toBytes } from "#build/artifact/byte-text.ts";

/** Larger files with the path of a release are data, and reading them whole would take too much memory. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What a file may grow by, besides its own size. Only a path that nothing is built at is so short that files grow by more. */
const MAX_GROWTH = 64 * 1024;

/**
 * Replaces a path in text files: in the first lines of scripts, and in files that list folders, as virtual environments of
 * Python have them. Programs and other binary files stay as they are.
 * @param paths of files below `root`
 * @throws ArtifactError if files would become much larger; the file system's error; the signal's reason
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
    if (growthOf(content, from, to) > size + MAX_GROWTH)
      throw new ArtifactError("invalid", "the path at which it was built is not valid");
    await writeFile(place, toBytes(fromBytes(content).replaceAll(pattern, () => to)));
    await utimes(place, mtime, mtime);
  }
}

function growthOf(content: Buffer, from: ByteText, to: ByteText): number {
  const wanted = toBytes(from);
  let count = 0;
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length))
    count += 1;
  return count * (to.length - from.length);
}
