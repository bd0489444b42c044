import { refuse } from "#contract/problems.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import type { Context } from "#worker/context.ts";

/**
 * The refusal for an id that does not exist in the account, or that the token cannot access. The sentence contains no
 * id, so that the answer to an id of another account is byte for byte the same as to an id that does not exist.
 */
export function notFound(
  what:
    | "command"
    | "connection"
    | "delivery"
    | "deployment"
    | "event"
    | "freeze"
    | "hook"
    | "identity"
    | "invitation"
    | "member"
    | "passkey"
    | "project"
    | "push"
    | "server"
    | "token"
    | "trust rule"
    | "webhook",
) {
  return refuse("not_found", `No ${what} with this id exists, or the token cannot access it.`);
}

/** The token of the request was revoked, or its member lost rights, after the request was authenticated (`hasStillRights`). */
export const ended = refuse("insufficient_scope", "The token was revoked or lost rights at this moment.");

/** Refuses a request to which this has happened; null: it has not. */
export async function refuseEnded({ isStillAllowed }: Pick<Context, "isStillAllowed">) {
  return (await isStillAllowed()) ? null : ended;
}

/** Refuses to create more of these than an account may have. @param remedy another sentence: what the user can do */
export function tooMany(
  what:
    | "connections"
    | "hooks"
    | "identities"
    | "members and open invitations"
    | "passkeys"
    | "projects"
    | "servers"
    | "tokens"
    | "trust rules"
    | "webhooks",
  remedy = "",
  maximum = MAX_PER_ACCOUNT,
  owner = "The account",
) {
  const most = maximum.toLocaleString("en");
  return refuse("too_many", `${owner} has ${most} ${what}, the maximum.${remedy && ` ${remedy}`}`);
}
