import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context } from "#worker/context.ts";
import { secretHash } from "#worker/secret-hash.ts";

/** A new secret for a token: shown once, while only its hash is kept. */
export async function newTokenSecret(
  context: Context,
): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = formToken(randomTokenCharacters(context.randomBytes));
  return { secret, hash: await secretHash(secret) };
}
