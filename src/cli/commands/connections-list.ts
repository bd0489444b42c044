import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { withSession } from "#cli/session/session.ts";

export const connectionsList = defineCommand({
  name: "connections list",
  isGroupDefault: true,
  summary: "List the providers by which people sign in; owners change them in the dashboard",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const listed = await client.listConnections();
    if (!listed.ok) return listed;
    const { connections } = listed.value;
    output.json(listed.value);
    output.table(
      ["NAME", "ISSUER", "JOIN", "REQUIRED", "LAST USED", "ID"],
      connections.map((connection) => [
        printableName(connection.name),
        printable(connection.issuer),
        connection.join,
        connection.is_forced ? "yes" : "no",
        connection.last_used_at === null ? "never" : timeText(connection.last_used_at, output),
        output.style.dim(connection.id),
      ]),
    );
    return done;
  }),
});
