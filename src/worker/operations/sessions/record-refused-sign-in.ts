import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { AccountId } from "#contract/ids.ts";
import type { ProblemCode } from "#contract/problems.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { auditWrites } from "#worker/db/changes/change-writes.ts";
import { logFailure } from "#worker/log-failure.ts";
import { requestEntry } from "#worker/operations/changes/request-changes.ts";

/**
 * Records that a member was refused, or somebody who knows the id of their passkey. At most as often as a token's refusals.
 */
export async function recordRefusedSignIn(
  context: OpenContext,
  accountId: AccountId,
  member: MemberReference,
  code: ProblemCode,
): Promise<void> {
  if ((await context.limitRefusals(member.id)) !== null) return;
  const target = { type: "member", ...member } as const;
  const sender = { token: { id: null, name: member.name }, member };
  const entry = requestEntry({ ...context, ...sender }, { target, projectId: null });
  const rows = new AccountRows(context.database, accountId);
  const writes = auditWrites(rows, [{ ...entry, outcome: "refused", code }]);
  const failed = (error: unknown) => logFailure("record a refused sign-in", { member_id: member.id }, error);
  context.defer(rows.runTogether(writes).then(() => undefined, failed));
}
