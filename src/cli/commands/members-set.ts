import { defineCommand } from "#cli/arguments/command.ts";
import { stop, done } from "#cli/outcome.ts";
import { findMember } from "#cli/session/find-member.ts";
import { inDashboard } from "#cli/session/in-dashboard.ts";
import { grantDetails, grantOption, readGrants } from "#cli/session/read-grants.ts";
import { withSession } from "#cli/session/session.ts";
import { printMember } from "#cli/views/member-text.ts";

export const membersSet = defineCommand({
  name: "members set",
  summary: "Change the roles, the name or the e-mail address of a person",
  details: [
    "--grant replaces all grants of the person. A change counts within 10 seconds, also for their personal tokens.",
    "Owners are made and changed only in the dashboard, by an owner who is signed in.",
    ...grantDetails,
  ],
  words: { member: { isRequired: true, help: "Member name, e-mail address or ID" } },
  options: {
    grant: grantOption,
    name: { kind: "text", value: "NAME", help: "Name of the person" },
    email: { kind: "text", value: "ADDRESS", help: "E-mail address; an empty one removes it" },
  },
  otherNames: { role: "grant" },
  examples: [
    "members set grace@example.com --grant deployer:shop",
    "members set grace@example.com --name Grace",
  ],
  run: withSession(async (session, { words, options }) => {
    const { grant, name, email } = options;
    if (grant.length === 0 && name === null && email === null)
      return stop("usage", "Pass --grant, --name or --email.");
    const grants = await readGrants(session, grant);
    if (!grants.ok) return grants;
    const member = await findMember(session, words.member);
    if (!member.ok) return member;
    const changed = await session.client.updateMember({
      params: { member_id: member.value.id },
      body: {
        ...(grant.length === 0 ? {} : { grants: grants.value }),
        ...(name === null ? {} : { name }),
        ...(email === null ? {} : { email: email === "" ? null : email }),
      },
    });
    if (!changed.ok) return inDashboard(session, changed, "/members");
    await printMember(session, changed.value);
    return done;
  }),
});
