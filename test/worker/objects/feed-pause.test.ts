import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";

import type { AccountId } from "#contract/ids.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { Outlet } from "#worker/objects/outlet/outlet.ts";
import { addEvents, publish, sealed } from "../../support/worker/events.ts";
import { kill, setUpForFaults } from "../../support/worker/faults.ts";
import { aroundCalls, onCalls } from "../../support/worker/intercept.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";

// The time stands still, so that a pause does not end by itself.
setUpForFaults();

/** After a hand-over to one webhook. */
const PAUSE_MS = 10;

/** Holds feeds in their pauses until `isHeld` is false. */
function holdPauses() {
  const pauses = { count: 0, isHeld: true };
  onTestFinished(() => void (pauses.isHeld = false));
  aroundCalls(scheduler, "wait", async (call, [ms]) => {
    if (ms !== PAUSE_MS) return await call();
    pauses.count += 1;
    do await call();
    while (pauses.isHeld);
    return undefined;
  });
  return pauses;
}

/** @returns how many events each call of an Outlet has brought, from now on */
function watchAccepted(): readonly number[] {
  const accepted: number[] = [];
  onCalls(Outlet.prototype, "accept", ([events]) => accepted.push(z.array(z.unknown()).parse(events).length));
  return accepted;
}

/** An account with a webhook whose feed pauses, because it has just handed over an event. */
async function pausingFeed() {
  const { account } = await TestWebhook.create({ events: ["audit.sealed"] });
  await publish(account.id, [sealed()]);
  const accepted = watchAccepted();
  const pauses = holdPauses();
  await addEvents(account.id, [sealed()]);
  const announced = announce(env.EVENT_FEED, account.id).catch(() => undefined);
  // `vi.waitFor` would let time pass.
  while (pauses.count === 0) await scheduler.wait(1);
  return { account, accepted, pauses, announced };
}

const feedOf = (account: { readonly id: AccountId }) => env.EVENT_FEED.getByName(account.id);

describe("the pause of an event feed", () => {
  it("collects the events that come meanwhile", async () => {
    const { account, accepted, pauses, announced } = await pausingFeed();
    await addEvents(account.id, [sealed(), sealed()]);
    pauses.isHeld = false;
    await announced;
    expect(accepted).toEqual([3]);
  });

  it("loses nothing if the object is killed", async () => {
    const { account, accepted, pauses } = await pausingFeed();
    await kill(() => feedOf(account));
    pauses.isHeld = false;
    expect(await runDurableObjectAlarm(feedOf(account))).toBe(true);
    expect(accepted).toEqual([1]);
  });
});
