import { eq, sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { entryFields, type EntryServer, entryServersOf } from "#worker/db/projects/balance-fields.ts";
import { type LocatedProject, placedFields } from "#worker/db/projects/find-project.ts";
import { projects, servers } from "#worker/db/schema.ts";

/**
 * A project, and the address of its server; null if that was removed meanwhile. `entryServers`: its balancers, and its servers if
 * it has several.
 */
type AddressedProject = LocatedProject & {
  readonly serverIp: string | null;
  readonly entryServers: readonly EntryServer[];
};

/** The account's project with this id, with the addresses of its servers; null without such a project. */
export async function findProjectDomains(rows: AccountRows, id: ProjectId): Promise<AddressedProject | null> {
  const found = await rows.find(addressedFields, projects, id);
  return found === null ? null : { ...found, entryServers: entryServersOf(found.entryServers) };
}

function addressedFields(rows: AccountRows) {
  const isServer = eq(servers.id, projects.serverId);
  const serverIp = rows.first<string>(servers.ip, servers, isServer, sql`${servers.id}`);
  return { ...placedFields(rows), serverIp, entryServers: entryFields(rows) };
}
