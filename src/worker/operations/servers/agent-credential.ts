import type { EnrollInput } from "#contract/agent-protocol.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { OpenContext } from "#worker/context.ts";

/**
 * The credential that an agent gets for its enrolment token. With an attempt, it follows from both secrets: so an agent
 * whose answer was lost can be given the same one again, although only its hash is stored.
 */
export async function agentCredential(
  context: Pick<OpenContext, "randomBytes">,
  { token, attempt }: Pick<EnrollInput, "token" | "attempt">,
): Promise<string> {
  if (attempt === undefined) return formToken(randomTokenCharacters(context.randomBytes), "agent");
  const secrets = new TextEncoder().encode(`gantry-agent-credential\0${token}\0${attempt}`);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-512", secrets));
  let at = 0;
  // 30 of 64 bytes are enough as long as 31 in 32 are used.
  return formToken(
    randomTokenCharacters((count) => bytes.subarray(at, (at += count))),
    "agent",
  );
}
