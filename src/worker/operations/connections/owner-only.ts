import { refuse } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";

/** Refuses everybody but an owner who has just confirmed that it is them. */
export function refuseAllButOwner(context: Context) {
  if (context.member?.isOwner !== true)
    return refuse("person_required", "Only an owner can change how people sign in.");
  return refuseUnconfirmed(context);
}
