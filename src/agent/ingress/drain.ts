import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import { serverSlots } from "#agent/ingress/slots.ts";
import { DrainState } from "#contract/endpoints/servers/drain.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

type Places = Pick<AgentContext, "home" | "slots">;

const storedDrain = storedAs(DrainState);

/** Changes are made in sequence, so that the newest is shown last. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Drains the server or ends that, unless something newer is known already. Safe to repeat.
 * @throws the file system's error
 */
export function applyDrain(places: Places, wanted: DrainState): Promise<void> {
  const change = last.then(() => storeAndShow(places, wanted));
  last = change.catch(() => undefined);
  return change;
}

async function storeAndShow(places: Places, wanted: DrainState): Promise<void> {
  const known = await readDrain(places);
  if (known === null || known.revision < wanted.revision) {
    await mkdir(dirname(drainFile(places)), { recursive: true });
    await writeAtomic(drainFile(places), JSON.stringify(wanted), { flush: true });
  }
  await showDrain(places);
}

/**
 * Has the ready URL say what is stored: after a restart of the server too, which empties the slots.
 * @throws the file system's error
 */
export async function showDrain(places: Places): Promise<void> {
  const isDrained = ((await readDrain(places))?.since ?? null) !== null;
  const shown = join(places.slots, serverSlots.draining);
  if (!isDrained) return rm(shown, { force: true });
  await mkdir(places.slots, { recursive: true });
  await writeAtomic(shown, "");
}

/**
 * From now on the ready URL says that the server takes requests, unless it is drained. Safe to repeat.
 * @throws the file system's error
 */
export async function showStarted({ slots }: Pick<Places, "slots">): Promise<void> {
  await mkdir(slots, { recursive: true });
  await writeAtomic(join(slots, serverSlots.started), "");
}

/**
 * Forgets what another server was told whose agent had this home folder: its revisions could be newer. The control plane
 * sends the server's own state at the next connection.
 * @throws the file system's error
 */
export async function forgetDrain(home: string): Promise<void> {
  await rm(drainFile({ home }), { force: true });
}

function drainFile({ home }: Pick<Places, "home">): string {
  return join(home, "ingress", "drain.json");
}

function readDrain(places: Places): Promise<DrainState | null> {
  return readJsonFile(drainFile(places), storedDrain);
}
