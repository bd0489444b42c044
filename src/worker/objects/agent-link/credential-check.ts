import type { ProjectId } from "#contract/ids.ts";
import { armAlarm, type LinkContext, recordDisconnect } from "#worker/objects/agent-link/link-work.ts";
import { attachmentOf, endRevoked } from "#worker/objects/agent-link/link-sockets.ts";

const CHECK = "check credential";

/**
 * Compares the link with D1: closes sockets whose credential was revoked, and drops a server that was deleted. Never
 * throws. If D1 does not answer, the alarm tries again.
 */
export async function checkCredentials(link: LinkContext): Promise<void> {
  await link.deliveries.retries.run(CHECK, () => check(link));
  await armAlarm(link);
}

/**
 * Whether this credential is still valid in D1: the Worker caches credentials for a while. If D1 does not answer, the
 * Worker's check counts until the next alarm, because the agent must be able to continue its runs.
 */
export async function isCredentialValid(link: LinkContext, credentialHash: string): Promise<boolean> {
  try {
    return (await link.server.credential())?.credentialHash === credentialHash;
  } catch (error) {
    link.deliveries.retries.fail(CHECK, error);
    return true;
  }
}

async function check(link: LinkContext): Promise<void> {
  const { sockets, server } = link;
  const open = sockets.open();
  if (open.length === 0 && server.removalCheckAt() === null) return;
  const readAt = Date.now();
  const found = await server.credential();
  // Sockets that were opened during the read are not checked here: their hello reads D1 itself.
  for (const socket of open)
    if (attachmentOf(socket).credentialHash !== found?.credentialHash) endRevoked(socket);
  if (found !== null) {
    server.notRemovedAt(readAt);
    return await recordDisconnect(link, Date.now());
  }
  if (sockets.open().length === 0) await dropServer(link);
}

/** D1 does not have the server: notifies the lanes that wait for it, and deletes everything else. */
async function dropServer(link: LinkContext): Promise<void> {
  const { env, server, presence, status, queue, keys, found, health } = link;
  server.noteRemoved();
  // Until all lanes have been notified: if one does not answer, the alarm repeats all of this.
  server.expectRemoval(Date.now());
  presence.forget();
  status.forget();
  queue.forgetServing();
  keys.forget();
  found.forget();
  health.forget();
  const notify = (projectId: ProjectId) => env.PROJECT_LANE.getByName(projectId).serverDeleted(server.id);
  await armAlarm(link);
  await Promise.all(queue.waiting().map(notify));
  queue.forgetLanes();
  server.endRemoval();
}
