import { writeAtomic } from "#node/write-atomic.ts";

/** Replaces a JSON file as a whole, readable by this user only. */
export function writePrivately(path: string, content: object): Promise<void> {
  return writeAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, uniqueDraft: true });
}
