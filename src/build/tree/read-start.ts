import { open } from "node:fs/promises";

import { decodeText } from "#build/tree/decode-text.ts";
import { READ_FILE } from "#node/open-flags.ts";

/** The rest of a longer file is irrelevant to framework detection. */
const MAX_FILE_BYTES = 512 * 1024;

/** Reads the beginning of a file, which is all that is relevant of a long one. A link is not followed. */
export async function readStart(path: string): Promise<string> {
  const file = await open(path, READ_FILE);
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return decodeText(buffer.subarray(0, bytesRead)).text;
  } finally {
    await file.close();
  }
}
