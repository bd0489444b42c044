import { eq, sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type LocatedProject, placedFields } from "#worker/db/projects/find-project.ts";
import { projects, servers } from "#worker/db/schema.ts";

/** A project, and the address of its server; null if that was removed meanwhile. */
type AddressedProject = LocatedProject & { readonly serverIp: string | null };

/** The account's project with this id, with the address of its server; null without such a project. */
export async function findProjectDomains(rows: AccountRows, id: ProjectId): Promise<AddressedProject | null> {
  const where = eq(projects.id, id);
  const [project] = await rows.select(addressedFields, projects, { where, limit: 1 });
  return project ?? null;
}

function addressedFields(rows: AccountRows) {
  const isServer = eq(servers.id, projects.serverId);
  const serverIp = rows.first<string>(servers.ip, servers, isServer, sql`${servers.id}`);
  return { ...placedFields(rows), serverIp };
}
