import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

import { DEFAULT_MAINTENANCE, escapeText, pageOf } from "#agent/ingress/page.ts";
import { setMaintenance, slotFiles } from "#agent/ingress/slots.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

const storedMaintenance = storedAs(MaintenanceState);

/** Changes come from the link and from orders. They are made in sequence, so that the newest is shown last. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Turns a project's maintenance on or off, unless something newer is known already. A project that has no folder here
 * gets it with its first order. Safe to repeat.
 * @throws the file system's error
 */
export function applyMaintenance(
  slotsFolder: string,
  folder: ProjectFolder,
  wanted: MaintenanceState,
): Promise<void> {
  const change = last.then(() => storeAndShow(slotsFolder, folder, wanted));
  last = change.catch(() => undefined);
  return change;
}

async function storeAndShow(
  slotsFolder: string,
  folder: ProjectFolder,
  wanted: MaintenanceState,
): Promise<void> {
  if (!existsSync(folder.root)) return;
  const known = await readMaintenance(folder);
  if (known === null || known.revision < wanted.revision)
    await writeAtomic(folder.maintenance, JSON.stringify(wanted), { flush: true });
  await showMaintenance(slotsFolder, folder);
}

/** Shows visitors what the project's file says: after a restart of the server too, which empties the slots. */
export async function showMaintenance(slotsFolder: string, folder: ProjectFolder): Promise<void> {
  const known = await readMaintenance(folder);
  const isShown = existsSync(slotFiles(slotsFolder, folder.id).maintenance);
  if (known === null || (!known.on && !isShown)) return;
  const { on, message } = known;
  const page = message === null ? DEFAULT_MAINTENANCE : pageOf("Maintenance", escapeText(message));
  await setMaintenance(slotsFolder, folder.id, on ? page : null);
}

/** Forgets the maintenance of a project that is removed from this server. */
export async function removeMaintenance(folder: ProjectFolder): Promise<void> {
  await rm(folder.maintenance, { force: true });
}

function readMaintenance(folder: ProjectFolder): Promise<MaintenanceState | null> {
  return readJsonFile(folder.maintenance, storedMaintenance);
}
