import type { ProjectId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { askingServices } from "#worker/objects/shared/asking-services.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";
import { decideUnreadPushes } from "#worker/operations/pushes/decide-unread-pushes.ts";

/**
 * Decides about the pushes of these projects that wait until the server has read their repository. Asks the agent, so
 * nothing that the agent has sent may wait for it. Never throws: it is done again some moments later, after the next hello, and after an hour.
 */
export async function decideUnread(
  { env, server }: LinkParts,
  projects: readonly ProjectId[],
): Promise<void> {
  const owner = server.accountId();
  if (owner === null) return;
  const rows = new AccountRows(env.DB, owner);
  const services = { ...askingServices(env), lanes: env.PROJECT_LANE, ids: createObjectIds() };
  for (const projectId of projects)
    try {
      await decideUnreadPushes(services, rows, projectId);
    } catch (error) {
      logFailure("pushes", { what: "decide unread pushes", project_id: projectId }, error);
    }
}
