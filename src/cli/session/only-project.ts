import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The project of a token that is limited to one; null: it is for several or for all. */
export function onlyProject({ token }: Account): ProjectId | null {
  const [only, another] = token.project_ids ?? [];
  return only !== undefined && another === undefined ? only : null;
}
