import type { ClientResult } from "#client/send.ts";

/** Whether a DELETE did its work, if only at a try whose answer got lost: then the next one finds nothing any more. */
export function wasRemoved(result: ClientResult<null>): boolean {
  return result.ok || (result.problem.code === "not_found" && (result.unheard ?? 0) > 0);
}
