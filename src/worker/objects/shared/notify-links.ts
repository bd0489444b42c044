import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findPlaces } from "#worker/db/servers/fleet-rows.ts";

/**
 * Notifies the links of servers that what their agents must know of each other may have changed. A call that comes twice or
 * late is harmless. Links of servers that never had an agent are left out: they find out at the first connection.
 * @throws the first failure, after all were called
 */
export async function notifyLinks(
  links: Env["AGENT_LINK"],
  rows: AccountRows,
  ids: readonly ServerId[],
): Promise<void> {
  const places = ids.length === 0 ? [] : await findPlaces(rows, ids);
  const calls = places
    .filter(({ location }) => location !== "pending")
    // The link exists: enrolling its agent has called it.
    .map(async ({ id }) => await links.getByName(id).fleetChanged());
  const failed = (await Promise.allSettled(calls)).find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
