import { existsSync } from "node:fs";

import { type Desired, isApp, requireDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { INSTANCE_HOST } from "#agent/apps/instance-spec.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { slotFiles, writeSlots } from "#agent/ingress/slots.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";

/** The addresses that a project's domain leads to, in the order of the instances' names. */
export function webAddresses(folder: ProjectFolder, desired: Desired | null): readonly string[] {
  const notes = new Map(readNotes(folder).map((note) => [note.name, note]));
  return (desired?.instances ?? [])
    .filter(({ process }) => process === WEB)
    .flatMap(({ name }) => {
      const port = notes.get(name)?.port ?? null;
      return port === null ? [] : [`${INSTANCE_HOST}:${port}`];
    });
}

type Leading = Pick<AgentContext, "apps" | "slots">;

/**
 * Leads the project's requests to the instances of this state, unless they go there already. Without a process `web` the
 * domain leads to files, and the slots are not used.
 * @param desired `null`: the project has no instances yet
 * @throws the file system's error
 */
export function leadTraffic(context: Leading, folder: ProjectFolder, desired: Desired | null): Promise<void> {
  return inTurn(context, folder, () => desired);
}

/** Leads the requests to what must run, unless a run or a correction decides where they go. @throws as `leadTraffic` */
export function leadToDesired(context: Leading, folder: ProjectFolder): Promise<void> {
  const own = context.apps.of(folder.id);
  return inTurn(context, folder, () => (own.isSwitching ? "other" : requireDesired(folder)));
}

/** Two that write at once would leave slots of both. @param decide called when it is its turn */
function inTurn(
  context: Leading,
  folder: ProjectFolder,
  decide: () => Desired | null | "other",
): Promise<void> {
  const own = context.apps.of(folder.id);
  const done = own.leading.then(async () => {
    const desired = decide();
    if (desired !== "other") await lead(context, folder, desired);
  });
  own.leading = done.catch(() => undefined);
  return done;
}

async function lead({ apps, slots }: Leading, folder: ProjectFolder, desired: Desired | null): Promise<void> {
  const isUsed = desired === null ? existsSync(slotFiles(slots, folder.id).folder) : isApp(desired);
  if (!isUsed) return;
  const own = apps.of(folder.id);
  const addresses = webAddresses(folder, desired);
  if (own.slots !== null && own.slots.join() === addresses.join()) return;
  // Unknown until all are written.
  own.slots = null;
  await writeSlots(slots, folder.id, addresses);
  own.slots = addresses;
}
