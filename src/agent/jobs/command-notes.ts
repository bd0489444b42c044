import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { CommandState, MAX_KEPT_COMMANDS } from "#contract/endpoints/commands/schemas.ts";
import { CommandId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * The agent's note of a one-off command, `commands/<id>.json`. It is written before the start, so that a command never
 * starts twice, and again at the end.
 */
const CommandNote = z.object({ id: CommandId, state: CommandState });
export type CommandNote = z.infer<typeof CommandNote>;
const storedNote = storedAs(CommandNote);

export function outputPath({ commands }: ProjectFolder, id: CommandId): string {
  return join(commands, `${id}.log`);
}

function notePath({ commands }: ProjectFolder, id: CommandId): string {
  return join(commands, `${id}.json`);
}

/** @returns `null` for a command that this server does not know */
export function readCommandNote(folder: ProjectFolder, id: CommandId): CommandNote | null {
  return attempt(() => storedNote.parse(JSON.parse(readFileSync(notePath(folder, id), "utf8"))), null);
}

/** Survives a power cut. @throws when the disk is full */
export async function writeCommandNote(folder: ProjectFolder, note: CommandNote): Promise<void> {
  mkdirSync(folder.commands, { recursive: true, mode: 0o700 });
  await writeAtomic(notePath(folder, note.id), `${JSON.stringify(note)}\n`, { mode: 0o600, flush: true });
}

/** The commands that are kept, the oldest first. */
export function listCommandNotes(folder: ProjectFolder): readonly CommandNote[] {
  return listIds(folder).flatMap((id) => readCommandNote(folder, id) ?? []);
}

/** The commands that run, or ran when an earlier agent process ended. `release`: the release that they read. */
export function readUnfinished(
  folder: ProjectFolder,
): readonly { readonly note: CommandNote; readonly release: number }[] {
  return listCommandNotes(folder)
    .filter(({ state }) => state.finished_at === null)
    .map((note) => ({ note, release: note.state.release }));
}

/** Deletes all but the newest commands and the running ones. Never throws. */
export function pruneCommands(folder: ProjectFolder): void {
  const unfinished = new Set(readUnfinished(folder).map(({ note }) => note.id));
  for (const id of listIds(folder).slice(0, -MAX_KEPT_COMMANDS)) {
    if (unfinished.has(id)) continue;
    // The note last: a file without one would never be deleted.
    attempt(() => rmSync(outputPath(folder, id), { force: true }), undefined);
    attempt(() => rmSync(notePath(folder, id), { force: true }), undefined);
  }
}

/** The oldest first, because ids increase. */
function listIds({ commands }: ProjectFolder): readonly CommandId[] {
  return attempt(() => readdirSync(commands), [])
    .toSorted((a, b) => (a < b ? -1 : 1))
    .flatMap((file) => {
      const id = file.endsWith(".json") ? CommandId.safeParse(file.slice(0, -".json".length)) : null;
      return id?.success === true ? [id.data] : [];
    });
}
