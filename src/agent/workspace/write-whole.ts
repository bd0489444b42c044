import { rename, writeFile } from "node:fs/promises";

/**
 * Writes a file so that whoever opens it finds all of the old text or all of the new.
 * @param flush also survives a power cut right after; costs the time of a disk flush
 */
export async function writeWhole(
  path: string,
  text: string,
  { mode = 0o644, flush = false }: { mode?: number; flush?: boolean } = {},
): Promise<void> {
  const draft = `${path}.tmp`;
  await writeFile(draft, text, { mode, flush });
  await rename(draft, path);
}
