import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { type Fact, printFacts } from "#cli/output/facts.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { permissionText } from "#cli/views/permission-text.ts";

export const whoami = defineCommand({
  name: "whoami",
  summary: "Show the installation, the account, who you are and what you may do",
  details: [
    "For a personal token, it shows its person and what the token allows now, which is never more than the person may do. For a service token, its scopes and projects.",
  ],
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { client, output, url } = session;
    const account = await client.getAccount();
    if (!account.ok) return account;
    const { id, name, token, member, permissions } = account.value;
    output.json({ url, ...account.value });
    const nameOf = await projectNames(session, [
      ...(token.project_ids ?? []),
      ...permissions.flatMap(({ project_ids: ids }) => ids ?? []),
    ]);
    const ofService: Fact[] = [
      ["scopes", token.scopes.join(", ")],
      ["projects", token.project_ids?.map(nameOf).join(", ") ?? "all"],
    ];
    const ofPerson = permissions.map((permission): Fact => ["allows", permissionText(permission, nameOf)]);
    printFacts(output, [
      ["installation", url],
      ["account", `${printableName(name)} (${id})`],
      ["person", member === null ? null : `${printableName(member.name)} (${member.id})`],
      ["owner", member?.is_owner === true ? "yes" : null],
      ["token", `${printableName(token.name)} (${token.id})`],
      ...(member === null ? ofService : ofPerson.length === 0 ? [["allows", "nothing"] as const] : ofPerson),
      ["expires", timeText(token.expires_at, output)],
    ]);
    return done;
  }),
});
