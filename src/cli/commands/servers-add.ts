import { Region } from "#contract/regions.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { enrollmentOptions, readInstallOptions } from "#cli/commands/enrollment-options.ts";
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
  options: {
    region: {
      kind: "text",
      value: "REGION",
      choices: Region.options,
      help: "Where the server is (default: where its agent connects from)",
    },
    ...enrollmentOptions,
  },
  examples: [
    "servers add web-1 192.0.2.10",
    "servers add web-1 192.0.2.10 --ingress",
    "servers add web-1 192.0.2.10 --repositories 'https://github.com/you/*'",
  ],
  run: withSession(async ({ client, output }, { words, options }) => {
    const choose = readInstallOptions(options, "strict");
    if (!choose.ok) return choose;
    const place = givenFields({ region: Region.safeParse(options.region).data ?? null });
    const server = await client.createServer({ body: { name: words.name, ip: words.ip, ...place } });
    if (!server.ok) return server;
    const chosen = choose.value(server.value.enrollment);
    output.json({ ...server.value, enrollment: chosen.enrollment });
    printEnrollment(output, chosen);
    return done;
  }),
});
