import { existsSync } from "node:fs";

import * as z from "zod/mini";

import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { numberFrom } from "#contract/bounds.ts";
import type { ProjectImages } from "#contract/endpoints/servers/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

const ImagesSize = z.object({ bytes: numberFrom(0) });
const storedSize = storedAs(ImagesSize);

/** Stores what the images of a project take: only the project's user can measure it. */
export async function recordImagesSize(folder: ProjectFolder, bytes: number): Promise<void> {
  await writeAtomic(folder.imagesSize, `${JSON.stringify({ bytes })}\n`);
}

/** What the images of each project took after its last deployment, the most first. Most projects have none. */
export async function imageSizes(home: string): Promise<ProjectImages[]> {
  const sizes: ProjectImages[] = [];
  for (const { id, folder } of await listProjects(home)) {
    const stored = existsSync(folder.containers) ? await readJsonFile(folder.imagesSize, storedSize) : null;
    if (stored !== null && stored.bytes > 0) sizes.push({ project_id: id, bytes: stored.bytes });
  }
  return sizes.toSorted((one, other) => other.bytes - one.bytes);
}

/** How many bytes the images of all these projects take. */
export function sumOf(sizes: readonly ProjectImages[]): number {
  return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
}
