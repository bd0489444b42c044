import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findFreeze } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const freezesDelete = defineCommand({
  name: "freezes delete",
  summary: "Delete a freeze",
  details: ["Deployments that waited only for it continue."],
  words: { freeze: { isRequired: true, help: "Freeze name or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const freeze = await findFreeze(session, words.freeze);
    if (!freeze.ok) return freeze;
    const { id } = freeze.value;
    const shownName = printableName(words.freeze);
    return remove(session, {
      question: `Delete the freeze ${shownName}? Deployments that it holds continue.`,
      yes: options.yes,
      send: () => session.client.deleteFreeze({ params: { freeze_id: id } }),
      json: { deleted: id },
      line: `The freeze ${shownName} is deleted.`,
    });
  }),
});
