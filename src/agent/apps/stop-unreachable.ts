import { readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { stopInstance } from "#agent/apps/stop-instance.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { socketsListeningOn } from "#node/tcp-sockets.ts";

/** A container that has been started again so often was not just interrupted. */
const MOST_NORMAL_RESTARTS = 3;
/** The engine opens the port of a container when it starts, and not when its app listens. */
const OPENS_WITHIN_MS = 10_000;

/** Whether requests can reach a container, or it has just been started or is about to be started again. */
function isNetworkFine(
  { state, startedAt, restarts }: SupervisedInstance,
  isOpen: boolean,
  now: number,
): boolean {
  // The network of a container that has just ended can still listen for a moment.
  if (state !== "running") return !isOpen || restarts < MOST_NORMAL_RESTARTS;
  return isOpen || startedAt === null || Math.abs(now - startedAt) < OPENS_WITHIN_MS;
}

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
  const now = context.clock.now();
  const wanted = new Set(readDesired(folder)?.instances.map(({ name }) => name));
  for (const { name, port, inside } of readNotes(folder)) {
    const one = supervised.find((each) => each.name === name);
    if (port === null || one === undefined || !wanted.has(name)) continue;
    const hasListened = one.startedAt !== null && own.listening.get(name) === one.startedAt;
    // Once an app listens, it keeps its port until it ends. The port of a container belongs to its network.
    if (hasListened && inside === undefined) continue;
    const isOpen = socketsListeningOn(port).size > 0;
    if (inside !== undefined) {
      if (isNetworkFine(one, isOpen, now)) continue;
    } else {
      if (!isOpen) continue;
      const listens = await supervisor.listensOn(folder.id, name, port);
      if (!listens.ok) continue;
      if (listens.value) {
        own.listening.set(name, one.startedAt);
        continue;
      }
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
