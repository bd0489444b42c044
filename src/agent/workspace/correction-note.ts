import { rm } from "node:fs/promises";

import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { storedAs } from "#contract/stored.ts";

/**
 * A `correct_release` in progress: the release that is switched to, and the marker in the environment of its activate
 * command's processes.
 */
const CorrectionNote = z.strictObject({ release: ReleaseVersion, marker: z.string().check(z.minLength(1)) });
export type CorrectionNote = z.infer<typeof CorrectionNote>;
const storedNote = storedAs(CorrectionNote);

/** @returns `null` when no correction was interrupted, or its note cannot be read */
export function readCorrectionNote(folder: ProjectFolder): Promise<CorrectionNote | null> {
  return readJsonFile(folder.correction, storedNote);
}

export async function writeCorrectionNote(folder: ProjectFolder, note: CorrectionNote): Promise<void> {
  await writeAtomic(folder.correction, JSON.stringify(note), { flush: true });
}

export async function removeCorrectionNote(folder: ProjectFolder): Promise<void> {
  await rm(folder.correction, { force: true });
}
