import type { ProjectId } from "#contract/ids.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";

/**
 * Tells the agent which branches to watch, if that may have changed. Looks for pushes that wait then, and some moments after it
 * has found some: the server may have been busy, or its git host away.
 * @returns the projects with pushes that wait until the server has read the repository
 */
export async function sendWatch({ server, queue, sockets, watch }: LinkParts): Promise<readonly ProjectId[]> {
  const due = watch.due();
  const now = Date.now();
  // After the next hello it is due again.
  if ((due === null && now < (watch.retryAt() ?? Infinity)) || !sockets.isAnyReady()) return [];
  const { branches, unread } = await server.watchedBranches();
  if (due !== null) {
    const projects = [...branches];
    // Otherwise a report of the agent about one of them could be ignored.
    queue.addKnown(projects.map(({ project_id }) => project_id));
    if (projects.length > 0 || watch.hasBranches()) sockets.send({ type: "watch", projects });
    watch.noteSent(due, now, projects.length > 0);
  }
  watch.noteUnread(unread.length > 0, now);
  return unread;
}
