import { readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { stopInstance } from "#agent/apps/stop-instance.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { succeed } from "#contract/lib/result.ts";
import { socketsListeningOn } from "#node/tcp-sockets.ts";

/** A container that has been started again so often was not just interrupted. */
const MOST_NORMAL_RESTARTS = 3;

/**
 * Stops instances that can get no requests, and the next check starts them again: another program took their port while they
 * were down, so they get another one, or the network of their container has ended while the app in it still runs.
 */
export async function stopUnreachable(
  context: AgentContext,
  folder: ProjectFolder,
  supervised: readonly SupervisedInstance[],
): Promise<void> {
  const { apps, supervisor, log } = context;
  const own = apps.of(folder.id);
  const wanted = new Set(readDesired(folder)?.instances.map(({ name }) => name));
  for (const { name, port, inside } of readNotes(folder)) {
    const one = supervised.find((each) => each.name === name);
    if (port === null || one === undefined || !wanted.has(name)) continue;
    const hasListened = one.startedAt !== null && own.listening.get(name) === one.startedAt;
    // Once an instance listens, it keeps its port until it ends. The port of a container is its network's.
    if (hasListened && inside === undefined) continue;
    const isOpen = socketsListeningOn(port).size > 0;
    if (isOpen === hasListened) continue;
    if (isOpen && inside !== undefined && one.restarts < MOST_NORMAL_RESTARTS) {
      // The network of a container that has just ended can still listen for a moment.
      if (one.state === "running") own.listening.set(name, one.startedAt);
      continue;
    }
    const listens = isOpen ? await supervisor.listensOn(folder.id, name, port) : succeed(false);
    if (!listens.ok) continue;
    if (listens.value) {
      own.listening.set(name, one.startedAt);
      continue;
    }
    // A run may have begun to stop or replace the instance in the meantime.
    if (own.claimed.has(name) || own.stopping.has(name)) continue;
    log(
      isOpen
        ? `${folder.id}: another program listens on port ${port} of ${name}, which gets another port`
        : `${folder.id}: the network of the container of ${name} has ended, so ${name} is started again`,
    );
    void stopInstance(context, folder.id, name).then(() => apps.wake());
  }
}
