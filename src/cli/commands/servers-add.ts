import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { printEnrollment } from "#cli/views/server-facts.ts";

export const serversAdd = defineCommand({
  name: "servers add",
  summary: "Register a server and print its install command",
  words: {
    name: { isRequired: true, help: "Server name" },
    ip: { isRequired: true, help: "IPv4 address" },
  },
  options: {},
  examples: ["servers add web-1 192.0.2.10"],
  run: withSession(async ({ client, output }, { words }) => {
    const server = await client.createServer({ body: { name: words.name, ip: words.ip } });
    if (!server.ok) return server;
    output.json(server.value);
    printEnrollment(output, server.value.enrollment);
    return done;
  }),
});
