import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { confirmByIdentity } from "#worker/db/connections/identity-records.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { type AnswerRefusal, readAnswer, usedBefore } from "#worker/operations/sign-in/provider-answer.ts";

/** Confirms the session of the request by a provider at which its member has just signed in again. */
export async function confirmByProvider(
  context: Context,
  given: ProviderAnswer,
): Promise<Result<null, AnswerRefusal>> {
  const { token, rows, clock } = context;
  const asking = { ...context, database: context.session.database };
  const answer = await readAnswer(asking, given, { act: "confirm", tokenId: token.id });
  if (!answer.ok) return answer;
  const { connection, person, state } = answer.value;
  const identity = {
    connectionId: connection.id,
    subject: person.subject,
    memberId: memberOf(context).id,
  };
  const recorded = requestWrites(context, {
    event: null,
    target: { type: "session", id: token.id, name: token.name },
    projectId: null,
    changes: { method: { before: null, after: connection.name } },
  });
  switch (await confirmByIdentity(rows, identity, token.id, clock.now(), state, recorded)) {
    case "confirmed":
      context.forgetToken(token.id);
      return succeed(null);
    case "used_before":
      return usedBefore;
    case "not_theirs":
      return refuse(
        "sign_in_refused",
        "You have signed in at the provider as somebody else. Sign out there, and try again.",
      );
  }
}
