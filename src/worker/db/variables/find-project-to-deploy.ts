import { and, eq, isNull, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { ProjectId } from "#contract/ids.ts";
import { NotSealed, type ProjectVariables } from "#domain/lane/variables.ts";
import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { freezeFields, freezesOf } from "#worker/db/freezes/project-freezes.ts";
import { type LocatedProject, projectFields, serverLocation } from "#worker/db/projects/find-project.ts";
import { projects } from "#worker/db/schema.ts";
import { currentRevision, sealKeyOfServer } from "#worker/db/variables/variable-records.ts";
import { variables } from "#worker/db/variable-tables.ts";

export type ProjectToDeploy = {
  readonly project: LocatedProject;
  readonly variables: ProjectVariables;
  readonly freezes: ReadFreezes;
};

/**
 * Reads a project with the revision of its variables, the secrets that its server cannot open, and the freezes that hold
 * it. One D1 round trip.
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
  return found === undefined ? null : readProjectToDeploy(found);
}

const fieldsOfAll = (rows: AccountRows) => fieldsToDeploy(rows, "all");
const currentFields = (rows: AccountRows) => fieldsToDeploy(rows, "current");

/** The fields of a project that is to be deployed, for `readProjectToDeploy`. */
export function fieldsToDeploy(rows: AccountRows, which: "current" | "all") {
  const fingerprint = sql`(select ${sealKeyOfServer(rows)} ->> 'fingerprint')`;
  const isNotSealed = and(
    eq(variables.projectId, projects.id),
    which === "current" ? isNull(variables.until) : undefined,
    sql`${variables.secret} = 1`,
    sql`not exists (select 1 from json_each(${variables.sealed}) as box where box.value ->> 'fingerprint' = ${fingerprint})`,
  );
  const { name, revision: from, until } = variables;
  const item = sql`json_object('name', ${name}, 'from', ${from}, 'until', ${until})`;
  return {
    ...projectFields(rows),
    serverLocation: serverLocation(rows),
    revision: currentRevision(rows),
    notSealed: rows.listNamed(item, variables, isNotSealed),
    ...freezeFields(rows),
  };
}

type Fields = LocatedProject & {
  readonly revision: number;
  readonly notSealed: unknown;
  readonly freezes: unknown;
  readonly sequence: number;
};

/** A project to deploy, from the fields of its row. */
export function readProjectToDeploy({
  revision,
  notSealed,
  freezes,
  sequence,
  ...project
}: Fields): ProjectToDeploy {
  return {
    project,
    variables: { revision, notSealed: z.array(NotSealed).parse(notSealed) },
    freezes: freezesOf({ freezes, sequence }),
  };
}
