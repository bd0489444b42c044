import { refuse } from "#contract/problems.ts";

/**
 * The refusal for an id that does not exist in the account, or that the token cannot access. The sentence contains no
 * id, so that the answer to an id of another account is byte for byte the same as to an id that does not exist.
 */
export function notFound(what: "deployment" | "project" | "server" | "token") {
  return refuse("not_found", `No ${what} with this id exists, or the token cannot access it.`);
}
