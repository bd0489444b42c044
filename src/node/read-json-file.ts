import { readFile } from "node:fs/promises";

/** Reads a JSON file. @returns `null` when it does not exist, cannot be read or does not match the schema */
export async function readJsonFile<Value>(
  path: string,
  schema: { parse(json: unknown): Value },
): Promise<Value | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
