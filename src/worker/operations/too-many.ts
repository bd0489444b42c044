import { refuse } from "#contract/problems.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";

/** The account can have no more of these. @param remedy what else there is to know, in a sentence */
export function tooMany(what: "projects" | "servers" | "tokens", remedy = "") {
  const most = MAX_PER_ACCOUNT.toLocaleString("en");
  return refuse("too_many", `The account has as many ${what} as it can: ${most}.${remedy && ` ${remedy}`}`);
}
