import type { ProjectId } from "#contract/ids.ts";
import type { Reconciliation } from "#domain/lane/reconcile.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { setServings, writePresence } from "#worker/db/servers/server-presence.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import type { DeliveryQueue, Said } from "#worker/objects/agent-link/delivery-queue.ts";
import type { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import type { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";

type Parts = {
  readonly env: Env;
  readonly server: LinkedServer;
  readonly presence: PresenceRecord;
  readonly queue: DeliveryQueue;
  /** Tells the agent what a project should serve, if it is there. */
  readonly correctRelease: (projectId: ProjectId, release: number) => void;
};

/**
 * Passes on what the link has taken in: the agent's presence and what it serves to D1, its hello to the lanes. Each
 * errand reads what is left from storage, and what fails is left for the link's alarm; none waits for another.
 */
export class LinkDeliveries {
  readonly #parts: Parts;
  readonly retries: RetryTracker;
  readonly #deliverPresence: () => Promise<void>;
  readonly #deliverServing: () => Promise<void>;
  readonly #deliverHello: () => Promise<void>;
  /** The calls of lanes that are under way. */
  readonly #calls = new Map<ProjectId, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.retries = new RetryTracker("link", () => ({ server_id: parts.server.id }));
    const delivery = (what: string, job: () => Promise<void>) =>
      singleFlight(() => this.retries.make(what, job));
    this.#deliverPresence = delivery("write presence", () => this.#writePresence());
    this.#deliverServing = delivery("write serving", () => this.#writeServing());
    this.#deliverHello = delivery("reconcile lanes", () => this.#reconcileLanes());
  }

  /** Never throws. */
  async run(): Promise<void> {
    await Promise.all([this.#deliverHello(), this.#deliverPresence(), this.#deliverServing()]);
  }

  isPending(): boolean {
    const { presence, queue } = this.#parts;
    return presence.unwritten() !== null || queue.serving().length > 0 || queue.said().length > 0;
  }

  /** Waits while the project's lane is being told something. */
  async afterCall(projectId: ProjectId): Promise<void> {
    await this.#calls.get(projectId)?.catch(() => undefined);
  }

  async #writePresence(): Promise<void> {
    const { presence, server, env } = this.#parts;
    const told = presence.unwritten();
    const owner = server.accountId();
    if (told === null || owner === null) return;
    await writePresence(new AccountRows(env.DB, owner), server.id, told.presence);
    presence.noteWritten(told);
  }

  async #writeServing(): Promise<void> {
    const { queue, server, env } = this.#parts;
    const serving = queue.serving();
    const owner = server.accountId();
    if (serving.length === 0 || owner === null) return;
    const said = serving.map(({ report: { project_id, release, url }, checkedAt }) => ({
      projectId: project_id,
      report: { servingRelease: release, servingCheckedAt: checkedAt, url },
    }));
    await setServings(new AccountRows(env.DB, owner), server.id, said);
    queue.noteWritten(serving);
  }

  /** Tells every lane, also where some do not answer. Each hears what was said of its project in its order. */
  async #reconcileLanes(): Promise<void> {
    const { queue, correctRelease } = this.#parts;
    const told = queue.said().map(async ({ projectId, said }) => {
      const call = this.#reconcileLane(projectId, said);
      this.#calls.set(projectId, call);
      try {
        const { serving } = await call;
        queue.noteHeard(projectId, said);
        if (serving?.kind === "correct_release") correctRelease(projectId, serving.release);
      } finally {
        this.#calls.delete(projectId);
      }
    });
    const failed = (await Promise.allSettled(told)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #reconcileLane(projectId: ProjectId, { report, runIds, saidAt }: Said): Promise<Reconciliation> {
    const { env, server } = this.#parts;
    const lane = env.PROJECT_LANE.getByName(projectId);
    if (runIds !== null) return await lane.reconcile({ serverId: server.id, report, runIds, saidAt });
    return report === null ? { serving: null } : await lane.compare(server.id, report);
  }
}
