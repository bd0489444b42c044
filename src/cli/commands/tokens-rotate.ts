import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findToken } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printSecret } from "#cli/views/token-secret.ts";

export const tokensRotate = defineCommand({
  name: "tokens rotate",
  summary: "Replace a token's secret",
  details: [
    "The old secret works for another 24 hours. The new one is not stored: if you rotate the token that you signed in with, run gantry login again.",
  ],
  words: { token: { isRequired: true, help: "Token name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const found = await findToken(session, words.token);
    if (!found.ok) return found;
    const token = await session.client.rotateToken({ params: { token_id: found.value.id }, body: {} });
    if (!token.ok) return token;
    printSecret(
      session.output,
      token.value,
      "Its old secret works for another 24 hours. Its new secret is shown only once",
    );
    return done;
  }),
});
