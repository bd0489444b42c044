import { DurableObject } from "cloudflare:workers";

import { AccountRows } from "#worker/db/account-rows.ts";
import { FeedReaders } from "#worker/following/events/feed-readers.ts";
import { FeedStore } from "#worker/objects/event-feed/feed-store.ts";
import { catchUp, type FeedContext, handOverNews } from "#worker/objects/event-feed/feed-work.ts";
import type { AcceptEvents } from "#worker/objects/event-feed/hand-over.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import { inJurisdiction } from "#worker/objects/location.ts";

/**
 * The pause between two runs for each webhook that got events, and the longest pause. If many events come in a row,
 * each webhook then gets several at a time, which is one write for it.
 */
const PAUSE_PER_WEBHOOK_MS = 10;
const LONGEST_PAUSE_MS = 250;
/** How soon the alarm hands over the announced events, if the object dies in a pause. */
const WAKE_AGAIN_MS = 30_000;

/**
 * Hands the events of one account to its webhooks and tells readers that there are new ones. D1 has the events: the
 * feed stores only the number of the last event that it has handed over, so that an announcement that is repeated, late
 * or lost changes nothing.
 */
export class EventFeed extends DurableObject<Env> {
  readonly #feed: FeedContext;
  readonly #alarm: ObjectAlarm;
  readonly #retries: RetryTracker;
  readonly #run: () => Promise<void>;
  /** When the next run may begin, in Unix milliseconds. */
  #nextRunAt = 0;

  constructor(ctx: DurableObjectState, bindings: Env) {
    const env = inJurisdiction(bindings);
    super(ctx, env);
    const store = new FeedStore(ctx.storage, ctx.id.name);
    const rows = new AccountRows(env.DB, store.accountId);
    const readers = new FeedReaders(ctx, store.cursor().sequence);
    const accept: AcceptEvents = async (id, events) => await env.OUTLET.getByName(id).accept(events);
    this.#feed = { rows, store, readers, accept };
    this.#alarm = new ObjectAlarm(ctx.storage);
    this.#retries = new RetryTracker("event feed", () => ({ account_id: store.accountId }));
    this.#run = singleFlight(() => this.#handOver());
  }

  /**
   * D1 has new events. Safe to repeat.
   * @throws if D1 does not answer: the alarm tries again
   */
  async announce(): Promise<void> {
    await this.#run();
  }

  /** The Worker's upgrade request to follow the events. */
  override async fetch(request: Request): Promise<Response> {
    return this.#feed.readers.accept(request);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#feed.readers.receive(socket, message);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  /** Hands over what could not be handed over before. Never throws. */
  override async alarm(): Promise<void> {
    this.#alarm.noteFired();
    await this.#retries.run("catch up", () => catchUp(this.#feed));
    // The run sets the next alarm if something is left.
    await this.#run().catch(() => undefined);
  }

  async #handOver(): Promise<void> {
    await this.#pause();
    try {
      const { hasMore, webhooks } = await handOverNews(this.#feed);
      // A run that finds nothing new does not end the pause.
      if (webhooks > 0)
        this.#nextRunAt = Date.now() + Math.min(webhooks * PAUSE_PER_WEBHOOK_MS, LONGEST_PAUSE_MS);
      this.#retries.succeed("hand over");
      if (hasMore) await this.#alarm.setExactly(Date.now());
      else if (this.#feed.store.behind().length > 0)
        await this.#alarm.setAbout(Date.now() + this.#retries.delayMs, Date.now());
    } catch (error) {
      this.#retries.fail("hand over", error);
      await this.#alarm.setExactly(Date.now() + this.#retries.delayMs);
      throw error;
    }
  }

  async #pause(): Promise<void> {
    const now = Date.now();
    const ms = Math.min(this.#nextRunAt - now, LONGEST_PAUSE_MS);
    if (ms <= 0) return;
    await this.#alarm.setBy(now + WAKE_AGAIN_MS);
    await scheduler.wait(ms);
  }
}
