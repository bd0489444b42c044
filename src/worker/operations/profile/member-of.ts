import type { Context } from "#worker/context.ts";
import type { TokenMember } from "#worker/db/tokens/find-token-holder.ts";

/** The person of a request to an endpoint for persons, which `authenticate` has found. */
export function memberOf({ member }: Pick<Context, "member">): TokenMember {
  if (member === null) throw new Error("an endpoint for persons was called without one");
  return member;
}
