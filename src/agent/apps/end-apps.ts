import { hasInstances, removeDesired } from "#agent/apps/desired.ts";
import { readNotes, removeNote } from "#agent/apps/instance-notes.ts";
import { stopInstance } from "#agent/apps/stop-instance.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { removeMaintenance } from "#agent/ingress/maintenance.ts";
import { writeSite } from "#agent/ingress/site-file.ts";
import { removeSlots } from "#agent/ingress/slots.ts";
import { removePlace } from "#agent/workspace/live-place.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * Ends all instances of a project that is removed, and stops leading requests to it. Safe to repeat.
 * @throws when an instance cannot be stopped, so that the removal is not confirmed and comes again
 */
export async function endApps(context: AgentContext, folder: ProjectFolder): Promise<void> {
  const { apps, supervisor, ingress, slots } = context;
  const hadInstances = hasInstances(folder);
  await ingress.leave(folder.id);
  // First, so that nothing starts them again, also after a crash.
  await removeDesired(folder);
  await writeSite(folder, null);
  await ingress.apply();
  if (hadInstances) {
    // A check that began before may be starting one.
    await apps.of(folder.id).checking;
    const listed = await supervisor.list(folder.id);
    if (!listed.ok) throw new Error(`its instances cannot be ended: ${listed.reason}`);
    // A supervisor that was killed may not know an instance that it had just started.
    const names = new Set([...listed.value, ...readNotes(folder)].map(({ name }) => name));
    const stops = [...names].map(async (name) => {
      const stopped = await stopInstance(context, folder.id, name);
      if (!stopped.ok) throw new Error(`${name} cannot be stopped: ${stopped.reason}`);
      removeNote(folder, name);
    });
    await Promise.all(stops);
  }
  await removeMaintenance(folder);
  await removePlace(folder);
  await removeSlots(slots, folder.id);
  await removeTree(folder.instances);
  apps.forget(folder.id);
}
