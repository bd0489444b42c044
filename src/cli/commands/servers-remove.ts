import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findServer } from "#cli/session/find-server.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const serversRemove = defineCommand({
  name: "servers remove",
  summary: "Remove a server that no project is on; its agent is not let in any more",
  words: { server: { isRequired: true, help: "Its name or id" } },
  options: { yes: { kind: "flag", short: "y", help: "Do not ask" } },
  run: withSession(async (session, { words, options }) => {
    const id = await findServer(session, words.server);
    if (!id.ok) return id;
    const shownName = printableName(words.server);
    return remove(session, {
      question: `Remove ${shownName}?`,
      yes: options.yes,
      send: () => session.client.deleteServer({ params: { server_id: id.value } }),
      json: { deleted: id.value },
      line: `${shownName} is removed.`,
    });
  }),
});
