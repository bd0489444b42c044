import { refuse } from "#contract/problems.ts";
import { SSO_REQUIRED } from "#domain/sign-in/decide-sign-in.ts";

/** A member who used another way than their account requires. */
export const ssoRequired = refuse("sso_required", SSO_REQUIRED);

/** Whether single sign-on is required of a member. Owners are never locked out. */
export function isSsoRequired({
  isOwner,
  requiresSso,
}: {
  readonly isOwner: boolean;
  readonly requiresSso: number;
}): boolean {
  return requiresSso === 1 && !isOwner;
}
