import { defineCommand } from "#cli/arguments/command.ts";
import { enrollmentOptions, readInstallOptions } from "#cli/commands/enrollment-options.ts";
import { usualPolicy } from "#contract/install-flags.ts";
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
    const found = await findServer(session, words.server);
    if (!found.ok) return found;
    const server = await client.getServer({ params: { server_id: found.value.id } });
    if (!server.ok) return server;
    const choose = readInstallOptions(options, usualPolicy(server.value));
    if (!choose.ok) return choose;
    const created = await client.createEnrollment({ params: { server_id: server.value.id }, body: {} });
    if (!created.ok) return created;
    const chosen = choose.value(created.value);
    output.json(chosen.enrollment);
    printEnrollment(output, chosen);
    return done;
  }),
});
