import { randomUUID } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

type WriteOptions = {
  readonly mode?: number;
  /** Flushes to disk, so that the new text survives a power cut right after. */
  readonly flush?: boolean;
  /** Gives the draft a unique name. Required when several processes may write the file at the same time. */
  readonly uniqueDraft?: boolean;
};

/**
 * Replaces a file atomically: a reader gets all of the old text or all of the new text.
 * @throws the file system's error; the old file is unchanged then
 */
export async function writeAtomic(
  path: string,
  text: string,
  { mode = 0o644, flush = false, uniqueDraft = false }: WriteOptions = {},
): Promise<void> {
  const draft = uniqueDraft ? `${path}.${randomUUID()}.tmp` : `${path}.tmp`;
  try {
    await writeFile(draft, text, { mode, flush });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  if (flush) await flushFolder(dirname(path));
}

/** Flushes a folder's list of names to disk, but not the contents of its files. Never throws. */
export async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await open(path);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Some file systems cannot flush a folder.
  }
}
