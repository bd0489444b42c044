import type { MemberId } from "#contract/ids.ts";
import type { Services } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import type { NewIdentity } from "#worker/db/connections/identity-records.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import type { ReadAnswer } from "#worker/operations/sign-in/provider-answer.ts";

/** The identity of a member in a provider's answer. @param lastUsedAt when it signs them in; null: it does not */
export function newIdentity(
  { ids, clock }: Pick<Services, "ids" | "clock">,
  { connection, person }: Pick<ReadAnswer, "connection" | "person">,
  memberId: MemberId,
  lastUsedAt: number | null,
): NewIdentity {
  return {
    id: ids.identity(),
    connectionId: connection.id,
    subject: person.subject,
    memberId,
    name: person.label,
    createdAt: clock.now(),
    lastUsedAt,
  };
}

/** The writes that record an added or removed identity of the member who sends the request. */
export function identityWrites(
  context: Parameters<typeof requestWrites>[0],
  type: "identity.added" | "identity.removed",
  { id, name = null, connection }: Pick<NewIdentity, "id" | "name"> & { readonly connection: string },
): Write[] {
  const { member } = context;
  if (member === null) throw new Error("an identity was changed without a member");
  const { id: memberId, name: memberName } = member;
  const shown = name === null ? connection : `${connection} (${name})`;
  const change = type === "identity.added" ? { before: null, after: shown } : { before: shown, after: null };
  return requestWrites(context, {
    event: { type, data: { member: { id: memberId, name: memberName }, identity: { id, connection, name } } },
    target: { type: "member", id: memberId, name: memberName },
    projectId: null,
    changes: { identity: change },
  });
}
