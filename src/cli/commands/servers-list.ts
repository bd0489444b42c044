import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { styled } from "#cli/output/style.ts";
import { withSession } from "#cli/session/session.ts";
import { serverStyles } from "#cli/views/server-facts.ts";

export const serversList = defineCommand({
  name: "servers list",
  isGroupDefault: true,
  summary: "List servers",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const servers = await readAll(client.listServers, (page) => page.servers);
    if (!servers.ok) return servers;
    output.json({ servers: servers.value });
    output.table(
      ["NAME", "STATUS", "IP", "APPS", "UPTIME", "ID"],
      servers.value.map(({ name, status, ip, apps, uptime, id }) => [
        printableName(name),
        styled(output.style, serverStyles, status),
        ip,
        `${apps}`,
        uptime,
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
