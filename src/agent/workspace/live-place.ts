import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";

import * as z from "zod/mini";

import { unreadableReason } from "#agent/lib/unreadable-reason.ts";
import { servesDomain, type PlaceHere } from "#agent/workspace/place.ts";
import { commitFile, discardPrepared, prepareFile, preparedPath } from "#agent/workspace/prepared-file.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { Place } from "#contract/agent-order.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";
import { hasCode } from "#node/has-code.ts";

/**
 * `place.json`: which part of a project its live deployment runs here. A run prepares it before its switch, and it
 * becomes true with the verdict. A correction has no order, so it uses it again. Missing for a project that never had
 * several servers.
 */
const LivePlace = z.object({
  /** The run whose verdict makes it true. */
  run_id: z.string(),
  /** null: this is the project's only server. */
  place: z.nullable(Place),
});
const storedPlace = storedAs(LivePlace);

function parse(path: string): z.infer<typeof LivePlace> {
  return storedPlace.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** @throws when the file exists and cannot be read: nothing may run here that runs on another server */
export function requirePlace(folder: Pick<ProjectFolder, "place">): PlaceHere {
  try {
    return parse(folder.place).place;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    const reason = unreadableReason(error);
    throw new Error(`${folder.place} cannot be read: ${reason}. The next deployment replaces it`, {
      cause: error,
    });
  }
}

/** Whether the project's domain leads to this server. A file that cannot be read counts as none. */
export function servesDomainNow(folder: Pick<ProjectFolder, "place">): boolean {
  return servesDomain(attempt(() => parse(folder.place).place, null));
}

/** Stores the part that a run is about to make true. @throws when the disk is full */
export async function preparePlace(folder: ProjectFolder, place: PlaceHere, runId: string): Promise<void> {
  if (place === null && !existsSync(folder.place)) return discardNextPlace(folder);
  await prepareFile(folder.place, { run_id: runId, place } satisfies z.infer<typeof LivePlace>);
}

/** Makes the prepared part true. Safe to repeat, and needs no space on the disk. */
export function commitPlace({ place }: ProjectFolder): Promise<void> {
  return commitFile(place);
}

export function discardNextPlace({ place }: ProjectFolder): Promise<void> {
  return discardPrepared(place);
}

/** After a recovery: keeps what the run prepared if it went live. @param runId `null` if none did */
export async function recoverPlace(folder: ProjectFolder, runId: string | null): Promise<void> {
  const next = attempt(() => parse(preparedPath(folder.place)), null);
  await (runId !== null && next?.run_id === runId ? commitPlace(folder) : discardNextPlace(folder));
}

/** Forgets the part of a project that is removed from this server. */
export async function removePlace(folder: ProjectFolder): Promise<void> {
  await discardNextPlace(folder);
  await rm(folder.place, { force: true });
}
