import { randomUUID } from "node:crypto";
import { link, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { hasCode } from "#node/has-code.ts";

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
  text: string | Uint8Array,
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

/**
 * Writes a file that is readable by this user only, unless the file exists: of several processes, one succeeds, and the
 * others do not change its file. It survives a power cut.
 * @throws the file system's error
 */
export async function writeOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    // Unlike a rename, a link does not replace another process's file.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await flushFolder(dirname(path));
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
