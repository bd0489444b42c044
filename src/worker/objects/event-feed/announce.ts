import type { AccountId } from "#contract/ids.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { EventFeed } from "#worker/objects/event-feed/event-feed.ts";

/**
 * Tells the account's feed that D1 has new events. Call it after they were written.
 * @throws if the feed cannot be reached: call it again later
 */
export async function announce(
  feeds: DurableObjectNamespace<EventFeed>,
  accountId: AccountId,
): Promise<void> {
  await feeds.getByName(accountId).announce();
}

/** The part of a request's context that is needed. Not its type, because Durable Objects import this file too. */
type Announcing = {
  readonly defer: (work: Promise<void>) => void;
  readonly feeds: DurableObjectNamespace<EventFeed>;
  readonly account: { readonly id: AccountId };
};

/**
 * Announces the events of a request after its response. If that fails, the account's next event or the schedule,
 * within an hour, announces them.
 */
export function announceLater({ defer, feeds, account }: Announcing): void {
  const failed = (error: unknown) => logFailure("announce events", { account_id: account.id }, error);
  defer(announce(feeds, account.id).catch(failed));
}
