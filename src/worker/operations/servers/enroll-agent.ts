import { type Enrolled, type EnrollInput, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";
import { nearestRegion } from "#domain/nearest-region.ts";
import type { OpenContext } from "#worker/context.ts";
import { hasEnrollment, spendEnrollment } from "#worker/db/servers/enrollments.ts";
import { findAgent } from "#worker/db/servers/server-records.ts";
import { requestLocation } from "#worker/http/request-location.ts";
import { logFailure } from "#worker/log-failure.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { mismatchMessage } from "#worker/views/server-view.ts";

const invalid = refuse(
  "invalid_token",
  "The enrolment token is malformed, unknown, expired or already used, or the API token that created it is no longer valid. Create a new enrolment token for the server.",
);

/** Exchanges an enrolment token, which works once, for the agent's credential. An earlier credential stops working. */
export async function enrollAgent(
  context: OpenContext,
  input: EnrollInput,
): Promise<Result<Enrolled, "invalid_token" | "protocol_mismatch" | "rate_limited">> {
  // Checked before the token is spent, so that an updated agent can still use it.
  if (input.protocol !== undefined && input.protocol !== PROTOCOL_VERSION)
    return refuse("protocol_mismatch", mismatchMessage(input.protocol));
  const credential = await agentCredential(context, input);
  const credentialHash = await secretHash(credential);
  const refused = async () => (await answerAgain()) ?? (await context.limitFailures()) ?? invalid;
  /** If an earlier try of this attempt spent the token and its response was lost, its credential is valid: returns it again. */
  const answerAgain = async () => {
    if (input.attempt === undefined) return null;
    const agent = await findAgent(context.database, credentialHash);
    return agent === null ? null : succeed({ server_id: agent.serverId, credential });
  };
  if (!isWellFormedToken(input.token, "enrollment")) return await refused();
  const enrollmentHash = await secretHash(input.token);
  const now = context.clock.now();
  if (!(await hasEnrollment(context.database, enrollmentHash, now))) return await refused();
  const spent = await spendEnrollment(context.database, {
    enrollmentHash,
    credentialHash,
    agentVersion: input.agent_version,
    detectedRegion: nearestRegion(requestLocation(context.raw), context.jurisdiction),
    now,
  });
  if (spent === null) return await refused();
  const { id: serverId, location } = spent;
  try {
    // The first call of a server's link: it creates the link near the server.
    await context.links.getByName(serverId, context.near(location)).revoke();
  } catch (error) {
    // The new credential is already valid. If this call fails, the link's next check closes an earlier agent's socket.
    logFailure("enrolment", { what: "revoke old credential", server_id: serverId }, error);
  }
  return succeed({ server_id: serverId, credential });
}

/**
 * The credential that an agent gets for its enrolment token. With `attempt`, it is derived from both secrets. So an agent
 * that lost the response can get the same credential again, although only its hash is stored.
 */
async function agentCredential(
  context: Pick<OpenContext, "randomBytes">,
  { token, attempt }: Pick<EnrollInput, "token" | "attempt">,
): Promise<string> {
  if (attempt === undefined) return formToken(randomTokenCharacters(context.randomBytes), "agent");
  const secrets = new TextEncoder().encode(`gantry-agent-credential\0${token}\0${attempt}`);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-512", secrets));
  let at = 0;
  // The token takes 30 characters. 64 bytes are enough, because about 31 of 32 bytes give a character.
  return formToken(
    randomTokenCharacters((count) => bytes.subarray(at, (at += count))),
    "agent",
  );
}
