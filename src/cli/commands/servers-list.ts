import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { allServers } from "#cli/session/find-server.ts";
import { withSession } from "#cli/session/session.ts";
import { serverPaint } from "#cli/views/server-facts.ts";

export const serversList = defineCommand({
  name: "servers list",
  isGroupDefault: true,
  summary: "List servers",
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { output } = session;
    const servers = await allServers(session);
    if (!servers.ok) return servers;
    output.json({ servers: servers.value });
    output.table(
      ["NAME", "STATUS", "IP", "APPS", "UPTIME", "ID"],
      servers.value.map(({ name, status, ip, apps, uptime, id }) => [
        printableName(name),
        serverPaint(status, output.style)(status),
        ip,
        `${apps}`,
        uptime,
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
