import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findPlaces } from "#worker/db/servers/fleet-rows.ts";

/** The most links that one invocation calls: the free plan allows 50 calls, and the caller also reads and writes D1. */
const MAX_CALLS = 25;

/**
 * Notifies the links of servers that what their agents must know of each other may have changed. If there are many, some of
 * the links notify the others. A call that comes twice or late is harmless. Links of servers that never had an agent are left
 * out: they find out at the first connection.
 * @throws the first failure, after all were called
 */
export async function notifyLinks(
  links: Env["AGENT_LINK"],
  rows: AccountRows,
  ids: readonly ServerId[],
): Promise<void> {
  const places = ids.length === 0 ? [] : await findPlaces(rows, ids);
  // The link exists: enrolling its agent has called it.
  const enrolled = places.filter(({ location }) => location !== "pending").map(({ id }) => id);
  const size = Math.max(1, Math.ceil(enrolled.length / MAX_CALLS));
  const groups = Array.from({ length: Math.ceil(enrolled.length / size) }, (_, nth) =>
    enrolled.slice(nth * size, (nth + 1) * size),
  );
  await settleAll(groups.map((group) => notifyGroup(links, group)));
}

/** Calls the first link, which calls the others. If it fails, the second one does that. */
async function notifyGroup(links: Env["AGENT_LINK"], [first, ...others]: readonly ServerId[]): Promise<void> {
  if (first === undefined) return;
  try {
    await links.getByName(first).fleetChanged(others);
  } catch (error) {
    await notifyGroup(links, others);
    throw error;
  }
}

/** Notifies the other links of a group. @throws the first failure, after all were called */
export async function passOn(links: Env["AGENT_LINK"], others: readonly ServerId[]): Promise<void> {
  await settleAll(others.map(async (id) => await links.getByName(id).fleetChanged([])));
}

async function settleAll(calls: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(calls)).find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
