import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { writeAtomic } from "#node/write-atomic.ts";

import { root } from "../shared/root.ts";
import { written } from "../shared/written.ts";
import { startIn } from "./home-lock.ts";

/** A file for each port that this clone has used, with the home that was started last with it. */
const folder = join(root, "build", "homes");

/** Remembers which home uses a port, for `homeOnPort`. */
export async function rememberHome(home: string, port: number): Promise<void> {
  await written(folder, "It contains a folder for the installation on each port.", async () => {
    await mkdir(folder, { recursive: true });
    await writeAtomic(join(folder, `${port}`), home, { uniqueDraft: true });
  });
}

/** The home of the installation that runs on a port, if this clone has started it. Null if there is none. */
export async function homeOnPort(port: number): Promise<string | null> {
  const home = await readFile(join(folder, `${port}`), "utf8").catch(() => null);
  if (home === null) return null;
  return (await startIn(home))?.port === port ? home : null;
}
