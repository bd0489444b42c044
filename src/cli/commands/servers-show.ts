import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { namedProjects, printServer } from "#cli/views/server-facts.ts";

export const serversShow = defineCommand({
  name: "servers show",
  summary: "Show a server",
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findServer(session, words.server);
    if (!found.ok) return found;
    const server = await client.getServer({ params: { server_id: found.value.id } });
    if (!server.ok) return server;
    printServer(output, server.value, await projectNames(session, namedProjects(server.value)));
    return done;
  }),
});
