import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printEnrollment } from "#cli/views/server-facts.ts";

export const serversEnroll = defineCommand({
  name: "servers enroll",
  summary: "Print a new install command for a server",
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const server = await findServer(session, words.server);
    if (!server.ok) return server;
    const enrollment = await client.createEnrollment({ params: { server_id: server.value.id }, body: {} });
    if (!enrollment.ok) return enrollment;
    output.json(enrollment.value);
    printEnrollment(output, enrollment.value);
    return done;
  }),
});
