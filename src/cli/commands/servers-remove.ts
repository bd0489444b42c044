import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findServer } from "#cli/session/find-server.ts";
import { withSession } from "#cli/session/session.ts";
import { wasRemoved } from "#cli/session/was-removed.ts";

export const serversRemove = defineCommand({
  name: "servers remove",
  summary: "Remove a server that no project is on; its agent is not let in any more",
  words: { server: { isRequired: true, help: "Its name or id" } },
  options: { yes: { kind: "flag", short: "y", help: "Do not ask" } },
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const id = await findServer(session, words.server);
    if (!id.ok) return id;
    const isSure = await confirm(session, `Remove ${printableName(words.server)}?`, options.yes);
    if (!isSure.ok) return isSure;
    const removed = await client.deleteServer({ params: { server_id: id.value } });
    if (!wasRemoved(removed) && !removed.ok) return removed;
    output.json({ deleted: id.value });
    output.line(`${printableName(words.server)} is removed.`);
    return done;
  }),
});
