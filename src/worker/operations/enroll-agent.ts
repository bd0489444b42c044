import type { EnrollInput, Enrolled } from "#contract/agent-protocol.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { OpenContext } from "#worker/context.ts";
import { spendEnrollment } from "#worker/db/credentials.ts";
import { secretHash } from "#worker/secret-hash.ts";

const invalid = refuse(
  "invalid_token",
  "The enrolment token is malformed, unknown, expired or already used. Make a new one for the server.",
);

/** Trades an enrolment token, which works once, for the credential of the server's agent. An earlier one stops working. */
export async function enrollAgent(
  context: OpenContext,
  input: EnrollInput,
): Promise<Result<Enrolled, "invalid_token">> {
  if (!isWellFormedToken(input.token, "enrollment")) return invalid;
  const credential = formToken(randomTokenCharacters(context.randomBytes), "agent");
  const serverId = await spendEnrollment(context.database, {
    enrollmentHash: await secretHash(input.token),
    credentialHash: await secretHash(credential),
    agentVersion: input.agent_version,
    now: context.clock.now(),
  });
  if (serverId === null) return invalid;
  await context.links.getByName(serverId).revoke();
  return succeed({ server_id: serverId, credential });
}
