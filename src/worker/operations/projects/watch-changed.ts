import type { ServerId } from "#contract/ids.ts";
import type { Services } from "#worker/context.ts";
import { logFailure } from "#worker/log-failure.ts";

/**
 * Tells the link of a project's server that its agent may have to watch another branch. If that fails, the link finds out
 * within an hour. Never throws.
 */
export async function watchChanged({ links }: Pick<Services, "links">, serverId: ServerId): Promise<void> {
  try {
    await links.getByName(serverId).watchChanged();
  } catch (error) {
    logFailure("watch changed", { server_id: serverId }, error);
  }
}
