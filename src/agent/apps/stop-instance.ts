import type { SupervisorResult } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { removeNote } from "#agent/apps/instance-notes.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";

/** Stops an instance. Nothing can keep it from the moment of the call. Safe to repeat. */
export async function stopInstance(
  { apps, supervisor }: Pick<AgentContext, "apps" | "supervisor">,
  project: ProjectId,
  name: string,
): Promise<SupervisorResult<null>> {
  const own = apps.of(project);
  own.stopping.add(name);
  try {
    const stopped = await supervisor.stop(project, name);
    if (stopped.ok)
      for (const kept of [own.crashes, own.drainingSince, own.listening, own.samples, own.lastOutput])
        kept.delete(name);
    return stopped;
  } finally {
    own.stopping.delete(name);
  }
}

/** Stops an instance that is not needed and forgets it. If it cannot be stopped, the next check tries again. */
export async function endInstance(context: AgentContext, folder: ProjectFolder, name: string): Promise<void> {
  const stopped = await stopInstance(context, folder.id, name);
  if (stopped.ok) removeNote(folder, name);
  else context.log(`${folder.id}: ${name} could not be stopped: ${stopped.reason}`);
}
