import type { OperationName } from "#contract/endpoints/endpoints.ts";
import { fieldsNeedingScopes } from "#contract/powers/marked-fields.ts";
import type { Mark } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords } from "#contract/powers/scope-powers.ts";
import { refuse } from "#contract/problems.ts";
import { scopesAllow } from "#contract/scopes.ts";
import type { Context } from "#worker/context.ts";
import type { Wrap } from "#worker/http/register-routes.ts";

/** Refuses a request with a field that needs another scope than the endpoint, if the token lacks it. */
export const checkFields =
  (next: Wrap<Context>): Wrap<Context> =>
  async (checked, act) => {
    const { token, request } = checked.caller;
    const needed = fieldsNeedingScopes(markOf(request.operation), checked.input.sent);
    const lacking = needed.find(({ scope }) => !scopesAllow(token.scopes, scope));
    if (lacking === undefined) return await next(checked, act);
    const { path, scope, power } = lacking;
    const what = path.length === 0 ? "this operation" : `the field ${path.join(".")}`;
    const { refusal } = refuse(
      "insufficient_scope",
      `The token lacks the scope ${scope}, which ${what} needs: it lets the caller ${powerWords[power]}.`,
    );
    return { ok: false, refusal: { ...refusal, scopes: [scope] } };
  };

function markOf(operation: OperationName): Mark {
  const all: Partial<Record<OperationName, Mark>> = marks;
  return all[operation] ?? "none";
}
