import { readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { stopInstance } from "#agent/apps/stop-instance.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { socketsListeningOn } from "#node/tcp-sockets.ts";

/**
 * Moves instances to another port if another program took theirs while they were down: that program would get their
 * requests, and they could never start again. They are stopped here, and the next check starts them on another port.
 */
export async function moveDisplaced(
  context: AgentContext,
  folder: ProjectFolder,
  supervised: readonly SupervisedInstance[],
): Promise<void> {
  const { apps, supervisor, log } = context;
  const own = apps.of(folder.id);
  const wanted = new Set(readDesired(folder)?.instances.map(({ name }) => name));
  for (const { name, port } of readNotes(folder)) {
    const one = supervised.find((each) => each.name === name);
    if (port === null || one === undefined || !wanted.has(name)) continue;
    // Once an instance listens, it keeps its port until it ends.
    if (one.startedAt !== null && own.listening.get(name) === one.startedAt) continue;
    if (socketsListeningOn(port).size === 0) continue;
    const listens = await supervisor.listensOn(folder.id, name, port);
    if (!listens.ok) continue;
    if (listens.value) {
      own.listening.set(name, one.startedAt);
      continue;
    }
    // A run may have begun to stop or replace the instance in the meantime.
    if (own.claimed.has(name) || own.stopping.has(name)) continue;
    log(`${folder.id}: another program listens on port ${port} of ${name}, which gets another port`);
    void stopInstance(context, folder.id, name).then(() => apps.wake());
  }
}
