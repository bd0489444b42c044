import { Region } from "#contract/regions.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { enrollmentOptions, withInstallOptions } from "#cli/commands/enrollment-options.ts";
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
  examples: ["servers add web-1 192.0.2.10", "servers add web-1 192.0.2.10 --ingress"],
  run: withSession(async ({ client, output }, { words, options }) => {
    const place = givenFields({ region: Region.safeParse(options.region).data ?? null });
    const server = await client.createServer({ body: { name: words.name, ip: words.ip, ...place } });
    if (!server.ok) return server;
    const enrollment = withInstallOptions(server.value.enrollment, options);
    output.json({ ...server.value, enrollment });
    printEnrollment(output, enrollment);
    return done;
  }),
});
