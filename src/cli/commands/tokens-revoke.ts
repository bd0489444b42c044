import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findToken } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const tokensRevoke = defineCommand({
  name: "tokens revoke",
  summary: "Revoke a token immediately",
  words: { token: { isRequired: true, help: "Token name or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const token = await findToken(session, words.token);
    if (!token.ok) return token;
    const { id } = token.value;
    const shownName = printableName(words.token);
    return remove(session, {
      question: `Revoke ${shownName}?`,
      yes: options.yes,
      send: () => session.client.revokeToken({ params: { token_id: id } }),
      json: { revoked: id },
      line: `${shownName} is revoked.`,
    });
  }),
});
