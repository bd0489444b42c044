import type { ProjectId, ServerId } from "#contract/ids.ts";
import { serversToTell } from "#domain/fleet/fleet-state.ts";
import type { Context } from "#worker/context.ts";
import { findFleetProject, findShared } from "#worker/db/servers/fleet-rows.ts";
import { logFailure } from "#worker/log-failure.ts";
import { tellLinks } from "#worker/objects/shared/tell-fleet.ts";

type Telling = Pick<Context, "links" | "latestRows">;

/**
 * Tells the servers of a project that what they must know of each other may have changed. If that fails, servers that know
 * others find out within an hour, and others when they connect. Never throws.
 * @param before the servers that had to know something before the change
 */
export async function projectFleetChanged(
  context: Telling,
  id: ProjectId,
  before: readonly ServerId[] = [],
): Promise<void> {
  await tell(context, { project_id: id }, async () => {
    const project = await findFleetProject(context.latestRows, id);
    return [...before, ...(project === null ? [] : serversToTell(project))];
  });
}

/** The same for the servers with which a server serves projects: its address has changed. */
export async function serverFleetChanged(context: Telling, id: ServerId): Promise<void> {
  await tell(context, { server_id: id }, async () =>
    (await findShared(context.latestRows, id)).flatMap(serversToTell),
  );
}

async function tell(
  { links, latestRows }: Telling,
  about: Readonly<Record<string, string>>,
  find: () => Promise<readonly ServerId[]>,
): Promise<void> {
  try {
    await tellLinks(links, latestRows, [...new Set(await find())]);
  } catch (error) {
    logFailure("fleet changed", about, error);
  }
}
