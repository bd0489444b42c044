import type { OperationName } from "#contract/endpoints/endpoints.ts";
import { ProjectId } from "#contract/ids.ts";
import { reachOf } from "#contract/permissions.ts";
import { fieldsNeedingScopes } from "#contract/powers/marked-fields.ts";
import type { Mark } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords } from "#contract/powers/scope-powers.ts";
import { refuse } from "#contract/problems.ts";
import { isWithin } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { lackText } from "#worker/http/lack-text.ts";
import type { Wrap } from "#worker/http/register-routes.ts";

/** Refuses a request with a field that needs another scope than the endpoint, if the caller lacks it. */
export const checkFields =
  (next: Wrap<Context>): Wrap<Context> =>
  async (checked, act) => {
    const { permissions, request, rows } = checked.caller;
    const needed = fieldsNeedingScopes(markOf(request.operation), checked.input.sent);
    const named = ProjectId.safeParse(checked.c.get("called")?.params["project_id"]).data;
    const lacking = needed.find(({ scope }) => isLacking(reachOf(permissions, scope), named, rows));
    if (lacking === undefined) return await next(checked, act);
    const { path, scope, power } = lacking;
    const what = path.length === 0 ? "this operation" : `the field ${path.join(".")}`;
    const { refusal } = refuse(
      "insufficient_scope",
      `${lackText(scope, `, which ${what} needs`, checked.caller)}. It lets the caller ${powerWords[power]}.`,
    );
    return { ok: false, refusal: { ...refusal, scopes: [scope] } };
  };

/**
 * Whether a caller lacks a scope that they have in the projects of `reach`. A project that they cannot see at all is not found
 * later. If the request names no project, they need the scope wherever they may call the endpoint.
 */
function isLacking(
  reach: readonly ProjectId[] | null,
  named: ProjectId | undefined,
  rows: Context["rows"],
): boolean {
  if (reach === null) return false;
  if (named === undefined) return !isWithin(reach, rows.projectIds);
  return reach.length === 0 || (rows.sees(named) && !reach.includes(named));
}

function markOf(operation: OperationName): Mark {
  const all: Partial<Record<OperationName, Mark>> = marks;
  return all[operation] ?? "none";
}
