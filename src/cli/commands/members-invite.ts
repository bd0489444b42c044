import { parseWith } from "#contract/endpoints/endpoint.ts";
import {
  DEFAULT_INVITATION_DAYS,
  EmailAddress,
  MAX_INVITATION_DAYS,
} from "#contract/endpoints/members/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { grantDetails, grantOption, readGrants } from "#cli/session/read-grants.ts";
import { withSession } from "#cli/session/session.ts";

export const membersInvite = defineCommand({
  name: "members invite",
  summary: "Invite a person and print the link with which they join",
  details: [
    "The link is shown only once and works once. Nothing else goes to stdout. If you pass an e-mail address and the installation can send mail, the person gets the link by mail too.",
    ...grantDetails,
  ],
  words: {},
  options: {
    email: { kind: "text", value: "ADDRESS", help: "E-mail address of the person" },
    grant: grantOption,
    days: {
      kind: "text",
      value: "DAYS",
      help: `How long the link works, 1 to ${MAX_INVITATION_DAYS} days (default: ${DEFAULT_INVITATION_DAYS})`,
    },
  },
  otherNames: { role: "grant" },
  examples: [
    "members invite --email grace@example.com --grant deployer",
    "members invite --grant viewer --grant deployer+deployments:approve:shop,blog --days 2",
  ],
  run: withSession(async (session, { options }) => {
    if (options.grant.length === 0)
      return stop("usage", "Pass at least one --grant, such as --grant viewer or --grant deployer:PROJECT.");
    const days = options.days === null ? null : Number(options.days);
    if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= MAX_INVITATION_DAYS))
      return stop("usage", `--days must be a whole number from 1 to ${MAX_INVITATION_DAYS}.`);
    if (options.email !== null && !parseWith(EmailAddress, options.email).success)
      return stop("usage", "--email must be an e-mail address, such as grace@example.com.");
    const grants = await readGrants(session, options.grant);
    if (!grants.ok) return grants;
    const invited = await session.client.createInvitation({
      body: { grants: grants.value, ...givenFields({ email: options.email, expires_in_days: days }) },
    });
    if (!invited.ok) return invited;
    const { output } = session;
    const { id, link, email, expires_at: expires, is_mailed: isMailed } = invited.value;
    output.json(invited.value);
    if (isMailed && email !== null) output.note(`The link is sent to ${printable(email)}.`);
    output.note(
      `Invitation ${id} expires ${timeText(expires, output)}. Send the link to the person; it is shown only once:`,
    );
    output.line(link);
    return done;
  }),
});
