import { Region } from "#contract/regions.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { namedProjects, printServer } from "#cli/views/server-facts.ts";

/** The value of --region and --address for what the agent reports. */
const AUTOMATIC = "auto";

export const serversSet = defineCommand({
  name: "servers set",
  summary: "Change a server's name, addresses or region",
  details: [
    "The control plane keeps the queues of the server's projects in this region. A change applies to projects that are deployed for the first time after it.",
  ],
  words: { server: { isRequired: true, help: "Server name or ID" } },
  options: {
    name: { kind: "text", value: "NAME", help: "New name" },
    ip: { kind: "text", value: "IP", help: "New IPv4 address" },
    address: {
      kind: "text",
      value: "ADDRESS",
      help: "Where balancers of Gantry reach it, such as 10.0.0.11; auto: the address that its agent reports",
    },
    region: {
      kind: "text",
      value: "REGION",
      choices: [AUTOMATIC, ...Region.options],
      help: "Where the server is; auto: where its agent connects from",
    },
  },
  examples: ["servers set web-1 --region weur", "servers set web-1 --address 10.0.0.11"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const server = await findServer(session, words.server);
    if (!server.ok) return server;
    const { name, ip, region, address } = options;
    const place = region === null ? {} : { region: Region.safeParse(region).data ?? null };
    const reached = address === null ? {} : { address: address === AUTOMATIC ? null : address };
    const body = { ...givenFields({ name, ip }), ...place, ...reached };
    const changed = await client.updateServer({ params: { server_id: server.value.id }, body });
    if (!changed.ok) return changed;
    printServer(output, changed.value, await projectNames(session, namedProjects(changed.value)));
    return done;
  }),
});
