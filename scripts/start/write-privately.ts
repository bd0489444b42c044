import { rename, writeFile } from "node:fs/promises";

/** Replaces a JSON file at once, readable by this user only. */
export async function writePrivately(path: string, content: object): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
