import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { type ProjectId, ServerId } from "#contract/ids.ts";
import { NotSealed, type ProjectVariables } from "#domain/lane/variables.ts";
import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { freezeFields, freezesOf } from "#worker/db/freezes/project-freezes.ts";
import { type LocatedProject, projectFields, serverLocation } from "#worker/db/projects/find-project.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { cannotBuildForOthers } from "#worker/db/variables/artifact-servers.ts";
import {
  type ContainerServers,
  containerServers,
  readContainerServers,
} from "#worker/db/variables/container-servers.ts";
import { builderId, fingerprintsOfServers } from "#worker/db/variables/sealing-servers.ts";
import { isMissingBox } from "#worker/db/variables/missing-box.ts";
import { withServersOfSecrets } from "#worker/db/variables/servers-of-secrets.ts";
import { currentRevision } from "#worker/db/variables/variable-records.ts";
import { variables } from "#worker/db/variable-tables.ts";

export type ProjectToDeploy = {
  readonly project: LocatedProject;
  readonly variables: ProjectVariables;
  readonly freezes: ReadFreezes;
  /** Its servers, if it has several. */
  readonly members: readonly MemberToDeploy[];
  /** The name of the server that builds for them, if its agent cannot; null: it can, or there is none. */
  readonly outdatedBuilder: string | null;
  /** The servers that cannot run its containers. */
  readonly containers: ContainerServers;
};

/** `isOutdated`: its agent cannot run a part of a project. */
const MemberToDeploy = z.strictObject({ id: ServerId, name: z.string(), isOutdated: z.int() });
type MemberToDeploy = z.infer<typeof MemberToDeploy>;

/**
 * Reads a project with the revision of its variables, the secrets that one of its servers cannot open, and the freezes
 * that hold it. One D1 round trip.
 * @param which `all`: also earlier values of secrets
 * @returns null if the account has no such project
 */
export async function findProjectToDeploy(
  rows: AccountRows,
  id: ProjectId,
  which: "current" | "all",
): Promise<ProjectToDeploy | null> {
  const [found] = await rows.select(which === "all" ? fieldsOfAll : currentFields, projects, {
    where: eq(projects.id, id),
    limit: 1,
  });
  if (found === undefined) return null;
  const [project] = await withServersOfSecrets(rows, [readProjectToDeploy(found)], which);
  return project ?? null;
}

const fieldsOfAll = (rows: AccountRows) => fieldsToDeploy(rows, "all");
const currentFields = (rows: AccountRows) => fieldsToDeploy(rows, "current");

/** The fields of a project that is to be deployed, for `readProjectToDeploy`. */
export function fieldsToDeploy(rows: AccountRows, which: "current" | "all") {
  const isNotSealed = and(
    eq(variables.projectId, projects.id),
    which === "current" ? isNull(variables.until) : undefined,
    sql`${variables.secret} = 1`,
    isMissingBox(sql`keys.needed`),
  );
  const isMember = eq(projectServers.projectId, projects.id);
  const isServer = eq(servers.id, projectServers.serverId);
  const ofServer = rows.first<string>(servers.name, servers, isServer, sql`${servers.id}`);
  const capabilities = rows.first<string>(servers.capabilities, servers, isServer, sql`${servers.id}`);
  // Null: its agent was never connected, so it is new.
  const isOutdated = sql`not exists (select 1 from json_each(coalesce(${capabilities}, '["fleet"]')) where value = 'fleet')`;
  const member = sql`json_object('id', ${projectServers.serverId}, 'name', ${ofServer}, 'isOutdated', ${isOutdated})`;
  const { name, revision: from, until } = variables;
  const item = sql`json_object('name', ${name}, 'from', ${from}, 'until', ${until})`;
  return {
    ...projectFields(rows),
    serverLocation: serverLocation(rows),
    revision: currentRevision(rows),
    notSealed: sql<unknown>`(with ${neededKeys(rows)} select ${rows.listNamed(item, variables, isNotSealed)} from keys)`,
    members: rows.listNamed(member, projectServers, isMember),
    outdatedBuilder: rows.first<string>(
      servers.name,
      servers,
      and(eq(servers.id, builderId), cannotBuildForOthers()),
      sql`${servers.id}`,
    ),
    containers: containerServers(rows),
    ...freezeFields(rows),
  };
}

/**
 * The fingerprints of all servers of the project, as an object with a 0 for each. A server without a key has a name that
 * is no fingerprint. Materialized, because SQLite would otherwise read the servers again for each secret.
 */
function neededKeys(rows: AccountRows): SQL {
  // Distinct, because servers with the same key need one box.
  const names = sql`select distinct coalesce(value, 'none') as name from json_each(${fingerprintsOfServers(rows)})`;
  const needed = sql`select json_group_object(name, 0) as needed from (${names})`;
  return sql`keys as materialized (${needed})`;
}

type Fields = LocatedProject & {
  readonly revision: number;
  readonly notSealed: unknown;
  readonly freezes: unknown;
  readonly sequence: number;
  readonly members: unknown;
  readonly outdatedBuilder: string | null;
  readonly containers: unknown;
};

/** A project to deploy, from the fields of its row. */
export function readProjectToDeploy({
  revision,
  notSealed,
  freezes,
  sequence,
  members,
  outdatedBuilder,
  containers,
  ...project
}: Fields): ProjectToDeploy {
  return {
    project,
    members: z.array(MemberToDeploy).parse(members),
    outdatedBuilder,
    containers: readContainerServers(containers),
    variables: { revision, notSealed: z.array(NotSealed).parse(notSealed) },
    freezes: freezesOf({ freezes, sequence }),
  };
}
