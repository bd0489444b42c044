import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findServer } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const serversRemove = defineCommand({
  name: "servers remove",
  summary: "Remove a server that has no projects",
  details: ["Its agent can no longer connect."],
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const server = await findServer(session, words.server);
    if (!server.ok) return server;
    const { id } = server.value;
    const shownName = printableName(words.server);
    return remove(session, {
      question: `Remove ${shownName}?`,
      yes: options.yes,
      send: () => session.client.deleteServer({ params: { server_id: id } }),
      json: { deleted: id },
      line: `${shownName} is removed.`,
    });
  }),
});
