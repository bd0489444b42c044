import type { ClientResult } from "#client/send.ts";
import { type Action, useAction } from "#dashboard/data/use-action.ts";

/**
 * An action that deletes an object. `not_found` counts as success: another tab, or a request whose response was lost,
 * has deleted it already.
 */
export function useRemoval(remove: () => Promise<ClientResult<unknown>>): Action<unknown, []> {
  return useAction(async () => {
    const result = await remove();
    if (result.ok || result.problem.code !== "not_found") return result;
    return { ok: true, value: null, status: result.problem.status, headers: new Headers() };
  });
}
