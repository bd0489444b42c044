import type { MemberDetails } from "#contract/endpoints/members/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findMember } from "#cli/session/find-member.ts";
import { inDashboard } from "#cli/session/in-dashboard.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const membersRemove = defineCommand({
  name: "members remove",
  summary: "Remove a person from the account, and end their sessions and personal tokens",
  details: [
    "Service tokens and trust rules that the person has created continue to work. The command lists them, so that you can revoke them.",
    "Owners are removed only in the dashboard, by an owner who is signed in.",
  ],
  words: { member: { isRequired: true, help: "Member name, e-mail address or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  examples: ["members remove grace@example.com"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const found = await findMember(session, words.member);
    if (!found.ok) return found;
    const params = { member_id: found.value.id };
    const member = await client.getMember({ params });
    if (!member.ok) return member;
    const { id, name } = member.value;
    const shownName = printableName(name);
    for (const line of remaining(member.value)) output.note(line);
    const removed = await remove(session, {
      question: `Remove ${shownName}? Their passkeys, sessions and personal tokens end within 10 seconds.`,
      yes: options.yes,
      send: () => client.removeMember({ params }),
      json: { removed: id },
      line: `${shownName} is removed.`,
    });
    return removed.ok ? removed : inDashboard(session, removed, "/members");
  }),
});

/** What continues to work after the removal of a person, and how to end it. */
function remaining({ name, created }: MemberDetails): string[] {
  const { tokens, trust_rules: rules } = created;
  if (tokens.length === 0 && rules.length === 0) return [];
  const shown = printableName(name);
  return [
    `What ${shown} has created continues to work:`,
    ...tokens.map((token) => `  token ${printableName(token.name)}: gantry tokens revoke ${token.id}`),
    ...rules.map((rule) => `  trust rule ${printableName(rule.name)}: gantry trust delete ${rule.id}`),
  ];
}
