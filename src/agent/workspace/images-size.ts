import { existsSync } from "node:fs";

import * as z from "zod/mini";

import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { numberFrom } from "#contract/bounds.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

const ImagesSize = z.object({ bytes: numberFrom(0) });
const storedSize = storedAs(ImagesSize);

/** Stores what the images of a project take: only the project's user can measure it. */
export async function recordImagesSize(folder: ProjectFolder, bytes: number): Promise<void> {
  await writeAtomic(folder.imagesSize, `${JSON.stringify({ bytes })}\n`);
}

/** How many bytes the images of all projects took after the last deployment of each. */
export async function imagesSize(home: string): Promise<number> {
  let bytes = 0;
  for (const { folder } of await listProjects(home))
    if (existsSync(folder.containers))
      bytes += (await readJsonFile(folder.imagesSize, storedSize))?.bytes ?? 0;
  return bytes;
}
