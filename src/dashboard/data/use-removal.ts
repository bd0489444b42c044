import type { ClientResult } from "#client/send.ts";
import { watched } from "#dashboard/data/resource.ts";
import { type Action, useAction } from "#dashboard/data/use-action.ts";

/**
 * An action that deletes an object. `not_found` counts as success: another tab, or a request whose response was lost,
 * has deleted it already. Until the page knows the result, no event makes it read the object, which may be gone.
 */
export function useRemoval(remove: () => Promise<ClientResult<unknown>>): Action<unknown, []> {
  return useAction(async () => {
    watched.removals += 1;
    const result = await remove().finally(() => {
      watched.removals -= 1;
    });
    if (result.ok || result.problem.code !== "not_found") return result;
    return { ok: true, value: null, status: result.problem.status, headers: new Headers() };
  });
}
