import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file as a whole, because somebody may be reading it, or writing it at the same time. */
export async function writeAtomic(path: string, text: string, { mode = 0o644 } = {}): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text, { mode });
  await rename(draft, path).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}
