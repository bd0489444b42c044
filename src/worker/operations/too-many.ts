import { refuse } from "#contract/problems.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";

/** Refuses to create more of these than an account may have. @param remedy another sentence: what the user can do */
export function tooMany(what: "projects" | "servers" | "tokens", remedy = "") {
  const most = MAX_PER_ACCOUNT.toLocaleString("en");
  return refuse("too_many", `The account has ${most} ${what}, the maximum.${remedy && ` ${remedy}`}`);
}
