import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Reconciliation } from "#domain/lane/reconcile.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { setDeployKeys } from "#worker/db/projects/project-repository.ts";
import { summarizeKey } from "#worker/views/deploy-key-view.ts";
import { serverEventWrites } from "#worker/db/servers/server-event-writes.ts";
import { setServings, type StatusMark, writePresence } from "#worker/db/servers/server-presence.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { decideUnread } from "#worker/objects/agent-link/decide-unread.ts";
import { deliverFleet } from "#worker/objects/agent-link/send-fleet.ts";
import { sendWatch } from "#worker/objects/agent-link/send-watch.ts";
import { startFoundPushes } from "#worker/objects/agent-link/start-found-pushes.ts";
import { servingRows, statusDigest } from "#worker/objects/agent-link/serving-rows.ts";
import type { LaneReport } from "#worker/objects/agent-link/delivery-queue.ts";

/** What a status reports of all projects. `checkedAt` is in Unix milliseconds. */
type Status = { readonly reports: readonly ProjectReport[]; readonly checkedAt: number };

/** Each is a statement, and on the free plan an invocation can send D1 50. The alarm, a second later, writes the next. */
const MAX_EVENTS_AT_ONCE = 15;

/**
 * Delivers what the link has received: presence and served releases to D1, the hello to the lanes. Each delivery reads
 * the pending records from storage. A failed delivery is retried by the link's alarm, and delays no other delivery.
 */
export class LinkDeliveries {
  readonly #parts: LinkParts;
  readonly retries: RetryTracker;
  readonly #deliverPresence: () => Promise<void>;
  readonly #announce: () => Promise<void>;
  readonly #deliverServing: () => Promise<void>;
  readonly #deliverKeys: () => Promise<void>;
  readonly #deliverHello: () => Promise<void>;
  readonly #deliverTraffic: () => Promise<void>;
  readonly #deliverFleet: () => Promise<void>;
  readonly #deliverWatch: () => Promise<void>;
  readonly #startFound: () => Promise<void>;
  /** The last status, until D1 has its reports. Lost with the object: the agent sends the next one in three minutes. */
  #status: Status | null = null;
  /** The decisions about pushes that have waited until the server can read their repository. */
  #unread: Promise<void> = Promise.resolve();
  /** Calls to lanes that have not returned. */
  readonly #calls = new Map<ProjectId, Promise<unknown>>();

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.retries = new RetryTracker("link", () => ({ server_id: parts.server.id }));
    const delivery = (what: string, job: () => Promise<void>) =>
      singleFlight(() => this.retries.run(what, job));
    this.#deliverPresence = delivery("write presence", () => this.#writePresence());
    this.#announce = delivery("announce events", () => this.#announceEvents());
    this.#deliverServing = delivery("write serving", () => this.#writeServing());
    this.#deliverKeys = delivery("write deploy keys", () => this.#writeDeployKeys());
    this.#deliverHello = delivery("reconcile lanes", () => this.#reconcileLanes());
    this.#deliverTraffic = delivery("send traffic", () => this.#sendTraffic());
    this.#deliverFleet = delivery("send fleet", () => deliverFleet(parts));
    this.#deliverWatch = delivery("send watch", async () => {
      const unread = await sendWatch(parts);
      void this.#decideUnread(unread);
    });
    this.#startFound = delivery("start found pushes", () => startFoundPushes(parts));
  }

  /** Never throws. */
  async run(): Promise<void> {
    const presence = this.#deliverPresence();
    await Promise.all([
      this.#deliverHello(),
      // A reader who hears of an event reads the project's row.
      Promise.all([presence, this.#deliverServing()]).then(() => this.#announce()),
      this.#deliverKeys(),
      // Only then do other servers find this one's report in D1.
      Promise.all([presence, this.#deliverTraffic()]).then(() => this.#deliverFleet()),
      this.#deliverWatch(),
      this.#startFound(),
    ]);
  }

  /** Delivers the reports of a status with its presence, which must be recorded first. */
  addStatus(reports: readonly ProjectReport[], checkedAt: number): void {
    this.#status = { reports, checkedAt };
  }

  isPending(): boolean {
    const { presence, queue, keys, server, watch, fleet, found, changes, sockets } = this.#parts;
    if (!changes.isEmpty() || fleet.unannounced() !== null) return true;
    if (fleet.due() !== null && sockets.isAnyReady()) return true;
    if (server.isTrafficDue() || this.#status !== null) return true;
    if ((watch.due() !== null && sockets.isAnyReady()) || found.pending().length > 0) return true;
    const isForDatabase = queue.serving().length > 0 || keys.pending() !== null;
    return presence.unwritten() !== null || isForDatabase || queue.laneReports().length > 0;
  }

  /** Waits for the call to this project's lane to return, if there is one. */
  async afterCall(projectId: ProjectId): Promise<void> {
    await this.#calls.get(projectId)?.catch(() => undefined);
  }

  async #writePresence(): Promise<void> {
    const { presence, server, changes, env } = this.#parts;
    const unwritten = presence.unwritten();
    const owner = server.accountId();
    const status = this.#status;
    const pending = changes.unwritten(MAX_EVENTS_AT_ONCE);
    if (unwritten === null || owner === null) this.#status = null;
    if (owner === null) return;
    const rows = new AccountRows(env.DB, owner);
    const events = serverEventWrites(rows, server.id, pending.changes);
    if (unwritten === null) {
      await rows.runTogether(events);
      return changes.noteWritten(pending);
    }
    const mark = status === null ? null : await markOf(status);
    const written = await writePresence(rows, server.id, unwritten.presence, mark, events);
    changes.noteWritten(pending);
    if (mark !== null && written?.hasReports !== true) await this.#writeStatus(rows, mark);
    // Only now: until then a retry writes both again.
    presence.noteWritten(unwritten);
    if (this.#status === status) this.#status = null;
  }

  /** Nothing waits for it, because it waits for the agent. One at a time. */
  async #decideUnread(projects: readonly ProjectId[]): Promise<void> {
    this.#unread =
      projects.length === 0 ? this.#unread : this.#unread.then(() => decideUnread(this.#parts, projects));
    await this.#unread;
  }

  async #announceEvents(): Promise<void> {
    const { changes, server, env } = this.#parts;
    const owner = server.accountId();
    if (owner !== null) await changes.announce(async () => await announce(env.EVENT_FEED, owner));
  }

  /** An idle server sends the same reports again and again, so this runs only when D1 does not have them. */
  async #writeStatus(rows: AccountRows, status: Status & StatusMark): Promise<void> {
    const reports = status.reports.map((report) => ({ report, checkedAt: status.checkedAt }));
    await setServings(rows, this.#parts.server.id, servingRows(reports), status);
  }

  async #writeServing(): Promise<void> {
    const { queue, server, env } = this.#parts;
    const serving = queue.serving();
    const owner = server.accountId();
    if (serving.length === 0 || owner === null) return;
    await setServings(new AccountRows(env.DB, owner), server.id, servingRows(serving));
    queue.noteWritten(serving);
  }

  async #writeDeployKeys(): Promise<void> {
    const { keys, server, env } = this.#parts;
    const pending = keys.pending();
    const owner = server.accountId();
    if (pending === null || owner === null) return;
    const { reports, all } = pending;
    const made = await Promise.all(
      reports.map(async ({ project_id, public_key }) => ({
        projectId: project_id,
        key: await summarizeKey(public_key),
      })),
    );
    await setDeployKeys(new AccountRows(env.DB, owner), server.id, { made, all });
    keys.noteWritten(pending);
  }

  /** Changes that were stored while the agent was not connected. Changes that the agent has already do nothing. */
  async #sendTraffic(): Promise<void> {
    const { server, sockets, fleet } = this.#parts;
    if (!server.isTrafficDue()) return;
    const unannounced = fleet.unannounced();
    const { drain, maintained, isShared } = await server.traffic();
    if (isShared || fleet.wasSent()) fleet.noteDue(true);
    else if (unannounced !== null) fleet.noteAnnounced(unannounced);
    if (drain !== null) sockets.send({ type: "set_drain", request_id: "hello", drain });
    for (const { projectId, maintenance } of maintained)
      sockets.send({ type: "set_maintenance", request_id: "hello", project_id: projectId, maintenance });
    server.noteTrafficSent();
  }

  /** Calls every lane that has a report pending, also if some calls fail. Each lane gets its reports in order. */
  async #reconcileLanes(): Promise<void> {
    const { queue, sockets } = this.#parts;
    const calls = queue.laneReports().map(async ({ projectId, report }) => {
      const call = this.#reconcileLane(projectId, report);
      this.#calls.set(projectId, call);
      try {
        const { serving } = await call;
        queue.noteDelivered(projectId, report);
        if (serving?.kind === "correct_release")
          sockets.send({ type: "correct_release", project_id: projectId, release: serving.release });
      } finally {
        this.#calls.delete(projectId);
      }
    });
    const failed = (await Promise.allSettled(calls)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #reconcileLane(
    projectId: ProjectId,
    { report, runIds, saidAt }: LaneReport,
  ): Promise<Reconciliation> {
    const { env, server } = this.#parts;
    const lane = env.PROJECT_LANE.getByName(projectId);
    if (runIds !== null) return await lane.reconcile({ serverId: server.id, report, runIds, sentAt: saidAt });
    return report === null ? { serving: null } : await lane.compare(server.id, report);
  }
}

async function markOf(status: Status): Promise<Status & StatusMark> {
  const projectIds = status.reports.map(({ project_id }) => project_id);
  return { ...status, projectIds, digest: await statusDigest(status) };
}
