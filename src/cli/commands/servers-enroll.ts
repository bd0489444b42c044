import { defineCommand } from "#cli/arguments/command.ts";
import { enrollmentOptions, withInstallOptions } from "#cli/commands/enrollment-options.ts";
import { done } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printEnrollment } from "#cli/views/server-facts.ts";

export const serversEnroll = defineCommand({
  name: "servers enroll",
  summary: "Print a new install command for a server",
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: enrollmentOptions,
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const server = await findServer(session, words.server);
    if (!server.ok) return server;
    const created = await client.createEnrollment({ params: { server_id: server.value.id }, body: {} });
    if (!created.ok) return created;
    const enrollment = withInstallOptions(created.value, options);
    output.json(enrollment);
    printEnrollment(output, enrollment);
    return done;
  }),
});
