import { open } from "node:fs/promises";

import { READ_FILE } from "#node/open-flags.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * Reads the last lines that an instance printed, of this many bytes at most.
 * @returns an empty text when it printed nothing
 */
export async function readLogEnd(folder: ProjectFolder, name: string, maxBytes: number): Promise<string> {
  // The project's user can replace the file with a link to a file that only the agent may read.
  try {
    const file = await open(instanceLog(folder, name), READ_FILE);
    try {
      const status = await file.stat();
      if (!status.isFile()) return "";
      const start = Math.max(0, status.size - maxBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, start);
      const text = buffer.subarray(0, bytesRead).toString("utf8");
      // Of the first line there is only the end, in which a cut secret would not be recognized.
      return start > 0 ? text.slice(text.indexOf("\n") + 1 || text.length) : text;
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}
