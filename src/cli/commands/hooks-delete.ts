import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findHook } from "#cli/session/find-hook.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const hooksDelete = defineCommand({
  name: "hooks delete",
  summary: "Delete a hook",
  details: ["Remove the webhook at the git host too: its deliveries are no longer accepted."],
  words: { hook: { isRequired: true, help: "Hook ID or repository" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const hook = await findHook(session, words.hook);
    if (!hook.ok) return hook;
    const { id } = hook.value;
    const repository = printableName(hook.value.repository);
    return remove(session, {
      question: `Delete the hook of ${repository}? Pushes to it are no longer deployed.`,
      yes: options.yes,
      send: () => session.client.deleteHook({ params: { hook_id: id } }),
      json: { deleted: id },
      line: `The hook of ${repository} is deleted. Remove the webhook at the git host too.`,
    });
  }),
});
