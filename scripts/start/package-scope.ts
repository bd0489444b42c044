import { existsSync } from "node:fs";
import { join } from "node:path";

import { writeAtomic } from "#node/write-atomic.ts";

/**
 * Writes an empty package.json into the home, if it has none. The home is usually in a clone of Gantry. Node and npm use
 * the nearest package.json above a file, so for an app without one of its own that would be Gantry's: Node would run its
 * server.js as an ES module, and npm would install its packages into the clone.
 */
export async function endPackageScope(home: string): Promise<void> {
  const path = join(home, "package.json");
  if (!existsSync(path)) await writeAtomic(path, "{}\n");
}
