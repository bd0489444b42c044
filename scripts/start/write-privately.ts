import { rename, writeFile } from "node:fs/promises";

let drafts = 0;

/** Replaces a JSON file at once, readable by this user only. */
export async function writePrivately(path: string, content: object): Promise<void> {
  // Two writes at once must not take each other's draft away.
  drafts += 1;
  const draft = `${path}.${process.pid}-${drafts}.tmp`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
