import type { ProjectId } from "#contract/ids.ts";
import type { GreetingAnswer } from "#domain/lane/reconcile.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { setServings, writePresence } from "#worker/db/servers/server-presence.ts";
import { Attempts } from "#worker/objects/shared/retry-tracker.ts";
import { coalesced } from "#worker/objects/shared/single-flight.ts";
import type { LinkInbox, Said } from "#worker/objects/agent-link/delivery-queue.ts";
import type { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import type { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";

type Parts = {
  readonly env: Env;
  readonly server: LinkedServer;
  readonly presence: PresenceRecord;
  readonly inbox: LinkInbox;
  /** Tells the agent what a project should serve, if it is there. */
  readonly restore: (projectId: ProjectId, release: number) => void;
};

/**
 * Passes on what the link has taken in: the agent's presence and what it serves to D1, its hello to the lanes. Each
 * errand reads what is left from storage, and what fails is left for the link's alarm; none waits for another.
 */
export class LinkErrands {
  readonly #parts: Parts;
  readonly attempts: Attempts;
  readonly #tellPresence: () => Promise<void>;
  readonly #tellServing: () => Promise<void>;
  readonly #greetLanes: () => Promise<void>;
  /** The calls of lanes that are under way. */
  readonly #calls = new Map<ProjectId, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.attempts = new Attempts("link", () => ({ server_id: parts.server.id }));
    const errand = (what: string, job: () => Promise<void>) => coalesced(() => this.attempts.make(what, job));
    this.#tellPresence = errand("write presence", () => this.#writePresence());
    this.#tellServing = errand("write serving", () => this.#writeServing());
    this.#greetLanes = errand("greet lanes", () => this.#greet());
  }

  /** Never throws. */
  async run(): Promise<void> {
    await Promise.all([this.#greetLanes(), this.#tellPresence(), this.#tellServing()]);
  }

  isPending(): boolean {
    const { presence, inbox } = this.#parts;
    return presence.untold() !== null || inbox.serving().length > 0 || inbox.said().length > 0;
  }

  /** Waits while the project's lane is being told something. */
  async afterCall(projectId: ProjectId): Promise<void> {
    await this.#calls.get(projectId)?.catch(() => undefined);
  }

  async #writePresence(): Promise<void> {
    const { presence, server, env } = this.#parts;
    const told = presence.untold();
    const owner = server.accountId();
    if (told === null || owner === null) return;
    await writePresence(new AccountRows(env.DB, owner), server.id, told.presence);
    presence.noteTold(told);
  }

  async #writeServing(): Promise<void> {
    const { inbox, server, env } = this.#parts;
    const serving = inbox.serving();
    const owner = server.accountId();
    if (serving.length === 0 || owner === null) return;
    const said = serving.map(({ report: { project_id, release, url }, checkedAt }) => ({
      projectId: project_id,
      report: { servingRelease: release, servingCheckedAt: checkedAt, url },
    }));
    await setServings(new AccountRows(env.DB, owner), server.id, said);
    inbox.noteWritten(serving);
  }

  /** Tells every lane, also where some do not answer. Each hears what was said of its project in its order. */
  async #greet(): Promise<void> {
    const { inbox, restore } = this.#parts;
    const told = inbox.said().map(async ({ projectId, said }) => {
      const call = this.#tell(projectId, said);
      this.#calls.set(projectId, call);
      try {
        const { serving } = await call;
        inbox.noteHeard(projectId, said);
        if (serving?.kind === "restore") restore(projectId, serving.release);
      } finally {
        this.#calls.delete(projectId);
      }
    });
    const failed = (await Promise.allSettled(told)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #tell(projectId: ProjectId, { report, runIds, saidAt }: Said): Promise<GreetingAnswer> {
    const { env, server } = this.#parts;
    const lane = env.PROJECT_LANE.getByName(projectId);
    if (runIds !== null) return await lane.greet({ serverId: server.id, report, runIds, saidAt });
    return report === null ? { serving: null } : await lane.compare(server.id, report);
  }
}
