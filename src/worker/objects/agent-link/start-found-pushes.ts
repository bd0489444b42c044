import { AccountRows } from "#worker/db/account-rows.ts";
import type { StoredPush } from "#worker/objects/agent-link/found-pushes.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { near, type ServerLocation } from "#worker/objects/location.ts";
import { findFinder, decideFoundPush } from "#worker/operations/pushes/decide-found-push.ts";

/**
 * A push of a repository with many projects moves the branch of each, and on the free plan an invocation can send D1 50
 * statements. The alarm, a second later, takes the next ones.
 */
const MAX_AT_ONCE = 6;

/** Decides about the oldest pushes that the agent has found, also if one of them fails. */
export async function startFoundPushes({ env, server, found }: LinkParts): Promise<void> {
  const owner = server.accountId();
  if (owner === null) return;
  const rows = new AccountRows(env.DB, owner);
  const services = { lanes: env.PROJECT_LANE, near: (location: ServerLocation) => near(location, env) };
  const decide = async (push: StoredPush): Promise<void> => {
    const finder = push.finder ?? (await findFinder(rows, server.id, push));
    if (finder !== null) {
      found.save({ ...push, finder });
      await decideFoundPush(services, rows, server.id, push, finder);
    }
    found.remove(push.id);
  };
  const failed = (await Promise.allSettled(found.pending().slice(0, MAX_AT_ONCE).map(decide))).find(
    (one) => one.status === "rejected",
  );
  if (failed !== undefined) throw failed.reason;
}
