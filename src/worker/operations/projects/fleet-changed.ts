import type { ProjectId, ServerId } from "#contract/ids.ts";
import { serversToNotify } from "#domain/fleet/fleet-state.ts";
import type { Context } from "#worker/context.ts";
import { findFleetProject, findShared } from "#worker/db/servers/fleet-rows.ts";
import { logFailure } from "#worker/log-failure.ts";
import { notifyLinks } from "#worker/objects/shared/notify-links.ts";

type Notifying = Pick<Context, "links" | "latestRows">;

/**
 * Notifies the servers of a project that what they must know of each other may have changed. If that fails, servers that know
 * others find out within an hour, and others when they connect. Never throws.
 * @param before the servers that had to know something before the change
 */
export async function projectFleetChanged(
  context: Notifying,
  id: ProjectId,
  before: readonly ServerId[] = [],
): Promise<void> {
  await notify(context, { project_id: id }, async () => {
    const project = await findFleetProject(context.latestRows, id);
    return [...before, ...(project === null ? [] : serversToNotify(project))];
  });
}

/** The same for the servers with which a server serves projects: its address has changed. */
export async function serverFleetChanged(context: Notifying, id: ServerId): Promise<void> {
  await notify(context, { server_id: id }, async () =>
    (await findShared(context.latestRows, id)).flatMap(serversToNotify),
  );
}

async function notify(
  { links, latestRows }: Notifying,
  about: Readonly<Record<string, string>>,
  find: () => Promise<readonly ServerId[]>,
): Promise<void> {
  try {
    await notifyLinks(links, latestRows, [...new Set(await find())]);
  } catch (error) {
    logFailure("fleet changed", about, error);
  }
}
