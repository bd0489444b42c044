import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { InstanceName, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";

/**
 * The agent's note of an instance, `instances/<name>.json`. It is written before the start. `draining_until`, in Unix
 * milliseconds: the instance was replaced, and is stopped then at the latest.
 */
const InstanceNote = z.object({
  name: InstanceName,
  process: ProcessName,
  release: ReleaseVersion,
  /** `null` for a process without a port. */
  port: z.nullable(z.int()),
  /** The port in the network of its container, which the engine passes on. Missing: it has no such network. */
  inside: z.optional(z.int()),
  fingerprint: z.string(),
  draining_until: z.nullable(z.number()),
  /** Whether the instance ended again and again, and has not run for long enough since (`noticeCrashes`). */
  is_crash_looping: z.boolean(),
});
export type InstanceNote = z.infer<typeof InstanceNote>;
const storedNote = storedAs(InstanceNote);

// Synchronous, so that a decision about a project's instances and its notes is one step, and no other part of the agent
// can change them during the decision.

/** The notes of a project. A note that a power cut left unreadable is skipped. */
export function readNotes({ instances }: ProjectFolder): readonly InstanceNote[] {
  return attempt(() => readdirSync(instances), []).flatMap((file) => {
    const note = read(join(instances, file));
    return note !== null && file === `${note.name}.json` ? [note] : [];
  });
}

/** The note of one instance; `null` if there is none. */
export function readNote({ instances }: ProjectFolder, name: string): InstanceNote | null {
  const note = read(join(instances, `${name}.json`));
  return note?.name === name ? note : null;
}

function read(path: string): InstanceNote | null {
  return attempt(() => storedNote.parse(JSON.parse(readFileSync(path, "utf8"))), null);
}

/** @throws when the disk is full */
export function writeNote({ instances }: ProjectFolder, note: InstanceNote): void {
  const path = join(instances, `${note.name}.json`);
  const draft = `${path}.tmp`;
  mkdirSync(instances, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export function removeNote({ instances }: ProjectFolder, name: string): void {
  attempt(() => rmSync(join(instances, `${name}.json`), { force: true }), undefined);
}

/**
 * Deletes all files that are no notes: drafts, and files that a power cut left unreadable. Nothing but a note protects
 * an instance.
 */
export function tidyNotes(folder: ProjectFolder): void {
  const notes = new Set(readNotes(folder).map(({ name }) => `${name}.json`));
  for (const file of attempt(() => readdirSync(folder.instances), []))
    if (!notes.has(file)) attempt(() => rmSync(join(folder.instances, file), { force: true }), undefined);
}
