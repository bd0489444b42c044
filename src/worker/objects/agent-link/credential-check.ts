import type { ProjectId } from "#contract/ids.ts";
import type { LinkContext } from "#worker/objects/agent-link/link-context.ts";
import { attachmentOf, endRevoked } from "#worker/objects/agent-link/link-socket.ts";
import type { LinkWork } from "#worker/objects/agent-link/link-work.ts";

const CHECK = "check credential";

/** Compares the link with D1: closes sockets whose credential was revoked, and drops a server that was deleted. */
export class CredentialCheck {
  readonly #link: LinkContext;
  readonly #work: LinkWork;

  constructor(link: LinkContext, work: LinkWork) {
    this.#link = link;
    this.#work = work;
  }

  /** Never throws. If D1 does not answer, the alarm tries again. */
  async run(): Promise<void> {
    await this.#link.deliveries.retries.run(CHECK, () => this.#check());
    await this.#work.armAlarm();
  }

  /**
   * Whether this credential is still valid in D1: the Worker caches credentials for a while. If D1 does not answer, the
   * Worker's check counts until the next alarm, because the agent must be able to continue its runs.
   */
  async isValid(credentialHash: string): Promise<boolean> {
    try {
      return (await this.#link.server.credential())?.credentialHash === credentialHash;
    } catch (error) {
      this.#link.deliveries.retries.fail(CHECK, error);
      return true;
    }
  }

  async #check(): Promise<void> {
    const { sockets, server } = this.#link;
    const open = sockets.open();
    if (open.length === 0 && !server.isRemovalExpected()) return;
    const found = await server.credential();
    // Sockets that were opened during the read are not checked here: their hello reads D1 itself.
    for (const socket of open)
      if (attachmentOf(socket).credentialHash !== found?.credentialHash) endRevoked(socket);
    if (found !== null) {
      server.endRemoval();
      return await this.#work.recordDisconnect(Date.now());
    }
    if (sockets.open().length === 0) await this.#dropServer();
  }

  /** D1 does not have the server: notifies the lanes that wait for it, and deletes everything else. */
  async #dropServer(): Promise<void> {
    const { env, server, presence, queue } = this.#link;
    server.noteRemoved();
    // Until all lanes have been notified: if one does not answer, the alarm repeats all of this.
    server.expectRemoval();
    presence.forget();
    queue.forgetServing();
    const notify = (projectId: ProjectId) => env.PROJECT_LANE.getByName(projectId).serverDeleted(server.id);
    await this.#work.armAlarm();
    await Promise.all(queue.waiting().map(notify));
    queue.forgetLanes();
    server.endRemoval();
  }
}
