import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";

import type { ProjectId } from "#contract/ids.ts";
import { isNoSpaceError } from "#node/has-code.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * The number of slots of each app. One of 1, 2, 3, 4, 6 or 12 instances gets as many as each other, and the ingress
 * chooses a slot for each request.
 */
export const SLOTS = 12;

/** Where the slots are without a service, whose slots are below /run. */
export function localSlotsFolder(home: string): string {
  return join(home, "slots");
}

/**
 * The files through which the ingress finds a project, all in one folder. The ingress reads them for each request, so a
 * change needs no reload. They are replaced by rename, and the slots are never deleted while the project exists.
 */
export function slotFiles(slotsFolder: string, projectId: ProjectId) {
  const folder = join(slotsFolder, projectId);
  return {
    folder,
    /** Each contains the address of an instance, such as 127.0.0.1:20113. */
    slots: Array.from({ length: SLOTS }, (_, at) => join(folder, String(at))),
    /** The files that are published and the rules to serve them by, as `servedText`. */
    root: join(folder, "root"),
    /** Exists while the app has no instances because it was stopped. */
    stopped: join(folder, "stopped"),
    /** Exists during maintenance, and contains the page to show. */
    maintenance: join(folder, "maintenance"),
    /** A folder with an empty file for each Unix second of a pause, named by it. So a pause ends without the agent. */
    paused: join(folder, "paused"),
    /** Where held requests try to go: to nothing, until it is open. */
    gate: join(folder, "gate"),
  };
}

/** The files of the server as a whole, in the folder of all slots. The ready URL reads them for each request. */
export const serverSlots = {
  /** Exists while the server is drained. */
  draining: "draining",
  /** Exists once the agent has started the apps after the server's start. A reboot empties the folder. */
  started: "started",
  /** The ids of the projects that this server serves for balancers, each in a line. */
  serving: "serving",
} as const;

/**
 * Leads a project's requests to these addresses, evenly if their number divides 12. Without addresses, the app is
 * stopped: visitors get a page with status 503. Safe to repeat.
 * @throws the file system's error; requests may then go to old and new addresses
 */
export async function writeSlots(
  slotsFolder: string,
  projectId: ProjectId,
  addresses: readonly string[],
): Promise<void> {
  const files = slotFiles(slotsFolder, projectId);
  await mkdir(files.folder, { recursive: true });
  const [first] = addresses;
  if (first === undefined) return writeAtomic(files.stopped, "");
  await Promise.all(
    files.slots.map((path, at) => writeAddress(path, addresses[at % addresses.length] ?? first)),
  );
  await rm(files.stopped, { force: true });
}

/**
 * Without a service, the slots are on the disk. If that is full, the file is written in place, so that a way back from a
 * failed switch is possible: the addresses of instances are all of one length, and so few bytes are read as a whole.
 */
async function writeAddress(path: string, address: string): Promise<void> {
  await writeAtomic(path, address).catch(async (error: unknown) => {
    if (!isNoSpaceError(error)) throw error;
    const slot = await open(path, "r+").catch(() => null);
    if (slot === null) throw error;
    try {
      if ((await slot.stat()).size !== Buffer.byteLength(address)) throw error;
      await slot.write(address, 0);
    } finally {
      await slot.close();
    }
  });
}

/** The folder of a release that is published, which is absolute, and the id of the rules to serve it by. */
export type Served = { readonly rules: string; readonly documentRoot: string };

/** One text for both, so that a switch is one rename. Caddy splits it by `SERVED_PATTERN`. */
export function servedText({ rules, documentRoot }: Served): string {
  return `${rules}:${documentRoot}`;
}

export const SERVED_PATTERN = "^([0-9a-z]+):(/.*)$";

/**
 * Publishes the files of a release: then a request gets all of its files from that release, by its rules. Safe to repeat.
 * @throws the file system's error
 */
export async function writeServed(slotsFolder: string, projectId: ProjectId, served: Served): Promise<void> {
  const files = slotFiles(slotsFolder, projectId);
  await mkdir(files.folder, { recursive: true });
  await writeAtomic(files.root, servedText(served));
}

/** Shows a page with status 503 instead of the site, or with null the site again. @throws the file system's error */
export async function setMaintenance(
  slotsFolder: string,
  projectId: ProjectId,
  page: string | null,
): Promise<void> {
  const files = slotFiles(slotsFolder, projectId);
  await mkdir(files.folder, { recursive: true });
  if (page === null) await rm(files.maintenance, { force: true });
  else await writeAtomic(files.maintenance, page);
}

/** Deletes the files of a project that is removed. Call it when the ingress no longer serves the project. */
export async function removeSlots(slotsFolder: string, projectId: ProjectId): Promise<void> {
  await rm(slotFiles(slotsFolder, projectId).folder, { recursive: true, force: true });
}
