import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { invitationCells, memberCells, namesIn } from "#cli/views/member-text.ts";

export const membersList = defineCommand({
  name: "members list",
  isGroupDefault: true,
  summary: "List the people of the account with their roles, and open invitations",
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { client, output } = session;
    const [members, invitations] = await Promise.all([
      readAll(client.listMembers, (page) => page.members),
      readAll(client.listInvitations, (page) => page.invitations),
    ]);
    if (!members.ok) return members;
    if (!invitations.ok) return invitations;
    output.json({ members: members.value, invitations: invitations.value });
    const nameOf = await namesIn(
      session,
      [...members.value, ...invitations.value].flatMap(({ grants }) => grants),
    );
    output.table(
      ["NAME", "EMAIL", "ROLES", "LAST USED", "ID"],
      [
        ...members.value.map((member) => memberCells(member, nameOf, session)),
        ...invitations.value.map((invitation) => invitationCells(invitation, nameOf, session)),
      ],
    );
    return done;
  }),
});
