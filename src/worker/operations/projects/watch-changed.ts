import type { Services } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { logFailure } from "#worker/log-failure.ts";

/**
 * Tells the link of a project's server that its agent may have to watch another branch. If that fails, the link finds out
 * within an hour. Never throws.
 */
export async function watchChanged(
  { links, near }: Pick<Services, "links" | "near">,
  { serverId, serverLocation }: Pick<LocatedProject, "serverId" | "serverLocation">,
): Promise<void> {
  // The server's agent has not connected yet, and gets the branches to watch when it does.
  if (serverLocation === "pending") return;
  try {
    await links.getByName(serverId, near(serverLocation)).watchChanged();
  } catch (error) {
    logFailure("watch changed", { server_id: serverId }, error);
  }
}
