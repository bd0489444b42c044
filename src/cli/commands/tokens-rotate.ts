import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findToken } from "#cli/session/find-token.ts";
import { withSession } from "#cli/session/session.ts";
import { printSecret } from "#cli/views/token-secret.ts";

export const tokensRotate = defineCommand({
  name: "tokens rotate",
  summary: "Give a token a new secret; the old one works for 24 hours more",
  details: [
    "Sign in again after rotating the token that you are signed in with: gantry login keeps no copy of it.",
  ],
  words: { token: { isRequired: true, help: "Its name or id" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const id = await findToken(session, words.token);
    if (!id.ok) return id;
    const token = await session.client.rotateToken({ params: { token_id: id.value }, body: {} });
    if (!token.ok) return token;
    printSecret(
      session.output,
      token.value,
      "The secret before works for 24 hours more. The new one is shown this once",
    );
    return done;
  }),
});
