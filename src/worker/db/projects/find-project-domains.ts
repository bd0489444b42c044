import { eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { type ProjectId, ServerId } from "#contract/ids.ts";
import { Region } from "#contract/regions.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { balancers } from "#worker/db/projects/balance-fields.ts";
import { locationOfServer, type LocatedProject, placedFields } from "#worker/db/projects/find-project.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers } from "#worker/db/schema.ts";

const EntryServer = z.strictObject({
  id: ServerId,
  ip: z.string(),
  isConnected: z.int(),
  location: z.nullable(z.union([Region, z.literal("pending")])),
});
const storedEntry = storedAs(z.array(EntryServer));

/** A server of a project or a balancer, where visitors may reach the project. */
type EntryServer = z.infer<typeof EntryServer>;

/** The balancers of the project in `projects`, and its servers if it has several. */
function entryFields(rows: AccountRows): SQL {
  const item = sql`json_object(
    'id', ${servers.id},
    'ip', ${servers.ip},
    'isConnected', ${servers.connectedAt} is not null,
    'location', ${locationOfServer})`;
  const several = rows.column(
    projectServers.serverId,
    projectServers,
    eq(projectServers.projectId, projects.id),
  );
  return rows.listNamed(item, servers, sql`${servers.id} in (${balancers} union ${several})`);
}

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
  return found === null ? null : { ...found, entryServers: storedEntry.parse(found.entryServers) };
}

function addressedFields(rows: AccountRows) {
  const isServer = eq(servers.id, projects.serverId);
  const serverIp = rows.first<string>(servers.ip, servers, isServer, sql`${servers.id}`);
  return { ...placedFields(rows), serverIp, entryServers: entryFields(rows) };
}
