import { readFile, rm } from "node:fs/promises";

import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { ReleaseVersion } from "#contract/agent-protocol.ts";

/** A restore under way: the release that is switched to, and what marks the processes of its activate command. */
const CorrectionNote = z.strictObject({ release: ReleaseVersion, marker: z.string().check(z.minLength(1)) });
export type RestoreNote = z.infer<typeof CorrectionNote>;

/** @returns `null` when no restore was cut off */
export async function readCorrectionNote(folder: ProjectFolder): Promise<RestoreNote | null> {
  try {
    return CorrectionNote.parse(JSON.parse(await readFile(folder.restoring, "utf8")));
  } catch {
    return null;
  }
}

export async function writeCorrectionNote(folder: ProjectFolder, note: RestoreNote): Promise<void> {
  await writeAtomic(folder.restoring, JSON.stringify(note), { flush: true });
}

export async function removeCorrectionNote(folder: ProjectFolder): Promise<void> {
  await rm(folder.restoring, { force: true });
}
