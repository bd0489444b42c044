import type { ClientResult } from "#client/send.ts";
import { type Action, useAction } from "#dashboard/data/use-action.ts";

/**
 * An action that removes something. What is gone already, by another tab or by a request whose answer was lost, is as it
 * was to be.
 */
export function useRemoval(remove: () => Promise<ClientResult<unknown>>): Action<unknown, []> {
  return useAction(async () => {
    const result = await remove();
    if (result.ok || result.problem.code !== "not_found") return result;
    return { ok: true, value: null, status: result.problem.status, headers: new Headers() };
  });
}
