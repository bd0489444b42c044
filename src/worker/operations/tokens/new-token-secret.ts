import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context } from "#worker/context.ts";
import { secretHash } from "#worker/secret-hash.ts";

/** Creates a secret for a token. Only its hash is stored; the secret itself is returned once. */
export async function newTokenSecret(
  context: Context,
): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = formToken(randomTokenCharacters(context.randomBytes));
  return { secret, hash: await secretHash(secret) };
}
