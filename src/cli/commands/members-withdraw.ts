import { defineCommand } from "#cli/arguments/command.ts";
import { printable } from "#cli/output/printable.ts";
import { findInvitation } from "#cli/session/find-member.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const membersWithdraw = defineCommand({
  name: "members withdraw",
  summary: "Withdraw an open invitation, so that its link no longer works",
  words: { invitation: { isRequired: true, help: "Invitation ID, or e-mail address of the person" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const id = await findInvitation(session, words.invitation);
    if (!id.ok) return id;
    const shown = printable(words.invitation);
    return await remove(session, {
      question: `Withdraw the invitation ${shown}?`,
      yes: options.yes,
      send: () => session.client.deleteInvitation({ params: { invitation_id: id.value } }),
      json: { deleted: id.value },
      line: `The invitation ${shown} is withdrawn.`,
    });
  }),
});
