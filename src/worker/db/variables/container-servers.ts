import { eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { IMAGES } from "#contract/agent-protocol.ts";
import { DOCKERFILE } from "#contract/endpoints/projects/settings.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { builderId } from "#worker/db/variables/sealing-servers.ts";

/** The names of the servers that cannot run a project's containers. `outdated`: their agents do not say what makes containers. */
export type ContainerServers = { readonly missing: readonly string[]; readonly outdated: readonly string[] };

const Found = z.array(
  z.nullable(z.strictObject({ name: z.string(), lack: z.nullable(z.enum(["missing", "outdated"])) })),
);

/**
 * What the servers of the project in `projects` lack for containers, for `readContainerServers`. Reads no server if the framework of the
 * project is not set to a Dockerfile, and its repository has no images.
 */
export function containerServers(rows: AccountRows): SQL {
  const { containers, capabilities } = servers;
  // Without capabilities, its agent was never connected, so it is new.
  const outdated = sql`iif(${capabilities} is null, null, 'outdated')`;
  const missing = sql`iif(${containers} ->> 'engine' is null, 'missing', null)`;
  const isImage = sql`${projects.repository} like 'docker://%'`;
  const knowsImages = sql`exists (select 1 from json_each(${capabilities}) where value = ${IMAGES})`;
  const isOld = sql`${containers} is null or (${isImage} and ${capabilities} is not null and not ${knowsImages})`;
  const lack = sql`iif(${isOld}, ${outdated}, ${missing})`;
  const item = sql`json_object('name', ${servers.name}, 'lack', ${lack})`;
  const server = (where: SQL) => sql`json(${rows.first(item, servers, where, sql`${servers.id}`)})`;
  const isMember = eq(projectServers.projectId, projects.id);
  const members = rows.listNamed(server(eq(servers.id, projectServers.serverId)), projectServers, isMember);
  const first = server(eq(servers.id, projects.serverId));
  const builder = server(eq(servers.id, builderId));
  const all = sql`json_insert(${members}, '$[#]', ${first}, '$[#]', ${builder})`;
  const isContainer = sql`(${isImage} or ${projects.settings} ->> 'framework' = ${DOCKERFILE})`;
  return sql`json(iif(${isContainer}, ${all}, '[]'))`;
}

/** The servers that cannot run the project's containers, from `containerServers`. */
export function readContainerServers(found: unknown): ContainerServers {
  const lacking = Found.parse(found);
  const namesOf = (lack: "missing" | "outdated") =>
    // The first server and the builder can be among the members.
    [...new Set(lacking.flatMap((one) => (one?.lack === lack ? [one.name] : [])))];
  return { missing: namesOf("missing"), outdated: namesOf("outdated") };
}
