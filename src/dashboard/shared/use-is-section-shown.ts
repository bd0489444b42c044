import { accountToken, token } from "#contract/endpoints/endpoint-defaults.ts";
import { useMayCall } from "#dashboard/data/resources.ts";
import type { Section } from "#dashboard/router/route.ts";

/** A function that says whether the caller may read what a section shows. Every role may read what the others show. */
export function useIsSectionShown(): (section: Section) => boolean {
  const mayCall = useMayCall();
  // As of `listAuditEntries`, `listMembers` and `listTokens`: the first page loads not all of their schemas.
  return (section) =>
    (section !== "Audit log" || mayCall({ access: token("audit:read") })) &&
    (section !== "Members" || mayCall({ access: accountToken("members:read") })) &&
    (section !== "Tokens" || mayCall({ access: token("tokens:read") }));
}
