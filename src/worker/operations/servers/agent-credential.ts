import type { EnrollInput } from "#contract/agent-protocol.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { OpenContext } from "#worker/context.ts";

/**
 * The credential that an agent gets for its enrolment token. With `attempt`, it is derived from both secrets. So an agent
 * that lost the response can get the same credential again, although only its hash is stored.
 */
export async function agentCredential(
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
