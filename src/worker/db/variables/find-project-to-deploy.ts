import { and, eq, isNull, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { NotSealed, type ProjectVariables } from "#domain/lane/variables.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectColumns, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { projects } from "#worker/db/schema.ts";
import { currentRevision, sealKeyOfServer } from "#worker/db/variables/variable-reading.ts";
import { variables } from "#worker/db/variable-tables.ts";

export type ProjectToDeploy = { readonly project: ProjectRecord; readonly variables: ProjectVariables };

/**
 * Reads a project with the revision of its variables and the secrets that its server cannot open. One D1 round trip.
 * @param which `all`: also earlier values of secrets
 * @returns null if the account has no such project
 */
export async function findProjectToDeploy(
  rows: AccountRows,
  id: ProjectId,
  which: "current" | "all",
): Promise<ProjectToDeploy | null> {
  const fingerprint = sql`(select ${sealKeyOfServer(rows)} ->> 'fingerprint')`;
  const isNotSealed = and(
    eq(variables.projectId, projects.id),
    which === "current" ? isNull(variables.until) : undefined,
    sql`${variables.secret} = 1`,
    sql`not exists (select 1 from json_each(${variables.sealed}) as box where box.value ->> 'fingerprint' = ${fingerprint})`,
  );
  const { name, revision: from, until } = variables;
  const item = sql`json_object('name', ${name}, 'from', ${from}, 'until', ${until})`;
  const fields = {
    ...projectColumns,
    revision: currentRevision(rows),
    notSealed: rows.list(item, variables, isNotSealed),
  };
  const [found] = await rows.select(fields, projects, { where: eq(projects.id, id), limit: 1 });
  if (found === undefined) return null;
  const { revision, notSealed, ...project } = found;
  return {
    project,
    variables: { revision, notSealed: z.array(NotSealed).parse(parseJson(notSealed)) },
  };
}
