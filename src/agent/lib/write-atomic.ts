import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file so that whoever opens it finds all of the old text or all of the new.
 * @param flush also survives a power cut right after; costs the time of a disk flush
 */
export async function writeAtomic(
  path: string,
  text: string,
  { mode = 0o644, flush = false }: { mode?: number; flush?: boolean } = {},
): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await writeFile(draft, text, { mode, flush });
    await rename(draft, path);
  } catch (error) {
    // On a full disk it is half a file.
    await rm(draft, { force: true });
    throw error;
  }
  if (flush) await flushFolder(dirname(path));
}

/** Has a folder's list of names survive a power cut. What the files hold is not its business. Never throws. */
export async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await open(path);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Some file systems cannot: then they decide by themselves when to write.
  }
}
