import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findVariables } from "#worker/db/variables/variable-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { variablesView } from "#worker/views/variables-view.ts";

/** Returns a project's current variables, without the values of secrets. */
export async function getVariables(
  { rows, account }: Context,
  projectId: ProjectId,
): Promise<Result<Variables, "not_found">> {
  const found = await findVariables(rows, projectId);
  if (found === null) return notFound("project");
  return succeed(variablesView({ accountId: account.id, projectId }, found.head, found.variables));
}
