import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findToken } from "#cli/session/find-token.ts";
import { withSession } from "#cli/session/session.ts";
import { wasRemoved } from "#cli/session/was-removed.ts";

export const tokensRevoke = defineCommand({
  name: "tokens revoke",
  summary: "Revoke a token at once",
  words: { token: { isRequired: true, help: "Its name or id" } },
  options: { yes: { kind: "flag", short: "y", help: "Do not ask" } },
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const id = await findToken(session, words.token);
    if (!id.ok) return id;
    const isSure = await confirm(session, `Revoke ${printableName(words.token)}?`, options.yes);
    if (!isSure.ok) return isSure;
    const revoked = await client.revokeToken({ params: { token_id: id.value } });
    if (!wasRemoved(revoked) && !revoked.ok) return revoked;
    output.json({ revoked: id.value });
    output.line(`${printableName(words.token)} is revoked.`);
    return done;
  }),
});
