import { and, desc, eq, isNotNull, type SQL, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isOfProject, serverLocation } from "#worker/db/projects/find-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { afterOf, newestPage, type Position } from "#worker/db/reads.ts";
import {
  type FoundSealKeys,
  sealKeyFields,
  serversToSealFor,
  type ServerToSealFor,
} from "#worker/db/variables/sealing-servers.ts";
import { variableRevisions, variables } from "#worker/db/variable-tables.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

const columns = {
  name: variables.name,
  revision: variables.revision,
  changedAt: variables.changedAt,
  changedBy: variables.changedBy,
  secret: variables.secret,
  build: variables.build,
  value: variables.value,
  sealed: variables.sealed,
};

/** A variable's row. `value` is null for a secret, `sealed` for a plain variable. */
export type VariableReading = Pick<typeof variables.$inferSelect, keyof typeof columns>;

/** The current variables of a project, sorted by name. */
export async function findCurrentVariables(rows: AccountRows, id: ProjectId): Promise<VariableReading[]> {
  return await rows.selectPrepared(currentVariables, { id });
}

function currentVariables() {
  const where = and(eq(variables.projectId, sql.placeholder("id")), sql`${variables.until} is null`);
  return [columns, variables, { where, orderBy: [sql`${variables.name}`] }] as const;
}

/**
 * The current revision of the project in `projects`; 0: none. Deployments count too: after the database was restored to
 * an earlier day, the lanes write back deployments with later revisions. Their numbers must not be used again, because an agent
 * refuses a secret that is older than the secret that it has opened.
 */
export function currentRevision(rows: AccountRows): SQL<number> {
  const ofProject = eq(variableRevisions.projectId, projects.id);
  const { revision } = variableRevisions;
  const used = and(eq(deployments.projectId, projects.id), isNotNull(deployments.variablesRevision));
  const newest = rows.first<number>(revision, variableRevisions, ofProject, desc(revision));
  const newestUsed = rows.first<number>(
    deployments.variablesRevision,
    deployments,
    used,
    desc(deployments.variablesRevision),
  );
  return sql<number>`max(coalesce(${newest}, 0), coalesce(${newestUsed}, 0))`;
}

/** What a change of a project's variables depends on besides the variables. */
export type VariablesHead = {
  readonly name: string;
  readonly serverId: ServerId;
  readonly serverLocation: ServerLocation;
  /** The address of the project's repository. */
  readonly repository: string;
  /** 0: the project never had variables. */
  readonly revision: number;
  /** The servers that open its secrets: all of the project, `serverId` first, and the server that builds for them. */
  readonly servers: readonly ServerToSealFor[];
  /** The servers on which the project runs. */
  readonly members: readonly ServerId[];
  /** The server that builds for all; null: none does. */
  readonly builder: ServerId | null;
};

/** The account's project with this id; null if there is none. */
export async function findVariablesHead(rows: AccountRows, id: ProjectId): Promise<VariablesHead | null> {
  const found = await rows.find(headFields, projects, id);
  return found === null ? null : readHead(found);
}

/** The same with the project's current variables, sorted by name. One D1 round trip. */
export async function findVariables(
  rows: AccountRows,
  id: ProjectId,
): Promise<{ readonly head: VariablesHead; readonly variables: VariableReading[] } | null> {
  const [[found], current] = await rows.selectBoth(headWith, currentVariables, { id });
  return found === undefined ? null : { head: readHead(found), variables: current };
}

function headWith(rows: AccountRows) {
  return [headFields(rows), projects, { where: eq(projects.id, sql.placeholder("id")), limit: 1 }] as const;
}

function headFields(rows: AccountRows) {
  return {
    name: projects.name,
    serverId: projects.serverId,
    serverLocation: serverLocation(rows),
    repository: projects.repository,
    revision: currentRevision(rows),
    ...sealKeyFields(rows),
  };
}

type FoundHead = Omit<VariablesHead, "servers" | "members"> & FoundSealKeys;

function readHead({ sealKey, others, builderKey, ...head }: FoundHead): VariablesHead {
  return { ...head, ...serversToSealFor({ ...head, sealKey, others, builderKey }) };
}

const revisionColumns = {
  revision: variableRevisions.revision,
  changedAt: variableRevisions.changedAt,
  changedBy: variableRevisions.changedBy,
  setNames: variableRevisions.setNames,
  removedNames: variableRevisions.removedNames,
};

/** A change of a project's variables. `changedAt` is in Unix milliseconds. */
export type RevisionReading = Pick<typeof variableRevisions.$inferSelect, keyof typeof revisionColumns>;

/** The changes of a project's variables, newest first. */
export async function listRevisions(
  rows: AccountRows,
  projectId: ProjectId,
  position: Position<number>,
): Promise<RevisionReading[]> {
  return await rows.selectPrepared(revisionsOf, { projectId, after: afterOf(position) }, position.limit);
}

function revisionsOf(rows: AccountRows) {
  const isOf = eq(variableRevisions.projectId, sql.placeholder("projectId"));
  const where = and(isOf, isOfProject(rows, variableRevisions));
  return [revisionColumns, variableRevisions, newestPage(variableRevisions.revision, where)] as const;
}
