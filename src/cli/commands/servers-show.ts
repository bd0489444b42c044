import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-server.ts";
import { withSession } from "#cli/session/session.ts";
import { printServer } from "#cli/views/server-facts.ts";

export const serversShow = defineCommand({
  name: "servers show",
  summary: "Show a server",
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const id = await findServer(session, words.server);
    if (!id.ok) return id;
    const server = await client.getServer({ params: { server_id: id.value } });
    if (!server.ok) return server;
    printServer(output, server.value);
    return done;
  }),
});
