import type { WebhookId } from "#contract/ids.ts";
import { decideNews, eventsFor } from "#domain/events/decide-news.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findTargets, newestSequence, readEventsFrom, readNews } from "#worker/db/events/event-records.ts";
import type { FeedReaders } from "#worker/following/events/feed-readers.ts";
import type { FeedStore } from "#worker/objects/event-feed/feed-store.ts";
import { handOver, type AcceptEvents } from "#worker/objects/event-feed/hand-over.ts";

/** The most events that one read takes. */
const MAX_EVENTS = 200;
/** The most reads in one run, and the most webhooks that catch up in it: an invocation may make 50 queries of D1. */
const MAX_READS = 5;
const MAX_CATCHING_UP = 20;

/**
 * How far the feed goes back after a restore of the database. The Outlets skip events that they have, and events from
 * before their webhook was created.
 */
const REWIND = 200;

export type FeedContext = {
  readonly rows: AccountRows;
  readonly store: FeedStore;
  readonly readers: FeedReaders;
  readonly accept: AcceptEvents;
};

/** What a run has done. `hasMore`: whether D1 has more events. `webhooks`: how many got some. */
export type HandedOver = { readonly hasMore: boolean; readonly webhooks: number };

/**
 * Hands D1's events after the cursor to the webhooks that want them. A webhook that does not accept them is noted, and
 * the others do not wait for it.
 * @throws if D1 does not answer
 */
export async function handOverNews(feed: FeedContext): Promise<HandedOver> {
  let webhooks = 0;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const some = await handOverSome(feed);
    webhooks = Math.max(webhooks, some.webhooks);
    if (!some.hasMore) return { hasMore: false, webhooks };
  }
  return { hasMore: true, webhooks };
}

async function handOverSome({ rows, store, readers, accept }: FeedContext): Promise<HandedOver> {
  const before = store.cursor();
  // One more, because the first event is at the cursor.
  const { events, targets } = await readNews(rows, before.sequence, MAX_EVENTS + 1);
  const decision = decideNews(before, events);
  if (decision.kind === "restored") {
    const newest = await newestSequence(rows);
    const sequence = Math.max(0, newest - REWIND);
    console.warn(JSON.stringify({ level: "warn", at: "event feed", account_id: store.accountId, sequence }));
    store.rewind({ sequence, id: null });
    readers.endAll();
    return { hasMore: true, webhooks: 0 };
  }
  const { news } = decision;
  const last = news.at(-1);
  if (last === undefined) return { hasMore: false, webhooks: 0 };
  readers.tell(last.sequence);
  const behind = new Set(store.behind().map(({ webhookId }) => webhookId));
  const lacking: WebhookId[] = [];
  let webhooks = 0;
  const handed = targets.map(async (target) => {
    const wanted = eventsFor(target, news);
    if (wanted.length > 0) webhooks += 1;
    // A webhook that lacks earlier events gets those first.
    const isAccepted = !behind.has(target.id) && (await handOver(accept, store.accountId, target.id, wanted));
    if (!isAccepted) lacking.push(target.id);
  });
  await Promise.all(handed);
  store.handedOver(before, { sequence: last.sequence, id: last.id }, lacking);
  return { hasMore: events.length > MAX_EVENTS, webhooks };
}

/**
 * Hands webhooks the events that they did not accept before: several at the same time, because a webhook that does not
 * answer takes 10 s, and the others when it is their turn. May run beside `handOverNews`. @throws if a webhook still
 * does not accept its events, or D1 does not answer
 */
export async function catchUp(feed: FeedContext): Promise<void> {
  const behind = feed.store.nextBehind(MAX_CATCHING_UP);
  if (behind.length === 0) return;
  const targets = new Map((await findTargets(feed.rows)).map((target) => [target.id, target]));
  const caughtUp = behind.map(({ webhookId, after }) =>
    catchUpOne(feed, webhookId, targets.get(webhookId), after),
  );
  const failures = (await Promise.all(caughtUp)).filter((isAccepted) => !isAccepted).length;
  if (failures > 0) throw new Error(`${failures} webhooks do not accept events`);
}

type FoundTarget = Awaited<ReturnType<typeof findTargets>>[number];

/** @param target undefined: the webhook was deleted. @returns whether it has accepted the events */
async function catchUpOne(
  { rows, store, accept }: FeedContext,
  webhookId: WebhookId,
  target: FoundTarget | undefined,
  after: number,
): Promise<boolean> {
  if (target === undefined) {
    store.caughtUp(webhookId, null);
    return true;
  }
  const until = store.cursor().sequence;
  const found = await readEventsFrom(rows, after + 1, MAX_EVENTS);
  const missing = found.filter(({ sequence }) => sequence <= until);
  if (!(await handOver(accept, store.accountId, webhookId, eventsFor(target, missing)))) return false;
  const last = missing.at(-1)?.sequence ?? until;
  store.caughtUp(webhookId, last < store.cursor().sequence ? last : null);
  return true;
}
