import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";

import type { AccountId } from "#contract/ids.ts";
import { call } from "./call.ts";
import { renamed } from "./events.ts";
import type { World } from "./world.ts";

export const feedOf = (id: AccountId) => env.EVENT_FEED.getByName(id);

/** Events that the tests announce. */
export const many = (world: World, count: number) =>
  Array.from({ length: count }, (_, at) => renamed(world, `name ${at}`));

/** The sequence of the newest event of an account, or 0. */
export async function newest({ account }: World): Promise<number> {
  const { events } = await (
    await call("/v1/events?limit=1", { token: account.token })
  ).json<{ events: { data: { sequence: number } }[] }>();
  return events[0]?.data.sequence ?? 0;
}

/** Waits until the isolates that read for clients have opened this many sockets to the feed. */
export async function readersAre(id: AccountId, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const open = await runInDurableObject(feedOf(id), (_feed, ctx) => ctx.getWebSockets().length);
    expect(open).toBe(count);
  });
}
