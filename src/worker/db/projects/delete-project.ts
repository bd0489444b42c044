import { eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { commands } from "#worker/db/command-table.ts";
import { freezes } from "#worker/db/push-tables.ts";
import { deployments, domains, projects } from "#worker/db/schema.ts";
import { variableRevisions, variables } from "#worker/db/variable-tables.ts";

/** Deletes a project's rows with those of its deployments, variables, freezes and domains. Safe to repeat. */
export function projectDeletion(rows: AccountRows, id: ProjectId): Write[] {
  return [
    rows.delete(deployments, eq(deployments.projectId, id)),
    rows.delete(variables, eq(variables.projectId, id)),
    rows.delete(variableRevisions, eq(variableRevisions.projectId, id)),
    rows.delete(commands, eq(commands.projectId, id)),
    rows.delete(freezes, eq(freezes.projectId, id)),
    rows.delete(domains, eq(domains.projectId, id)),
    rows.delete(projects, eq(projects.id, id)),
  ];
}
