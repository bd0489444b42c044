import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findVariablesHead } from "#worker/db/variables/find-variables-head.ts";
import { findCurrentVariables } from "#worker/db/variables/variable-reading.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { variablesView } from "#worker/views/variables-view.ts";

/** Returns a project's current variables, without the values of secrets. */
export async function getVariables(
  { rows, account }: Context,
  projectId: ProjectId,
): Promise<Result<Variables, "not_found">> {
  const head = await findVariablesHead(rows, projectId);
  if (head === null) return notFound("project");
  const variables = head.revision === 0 ? [] : await findCurrentVariables(rows, projectId);
  return succeed(variablesView({ accountId: account.id, projectId }, head, variables));
}
