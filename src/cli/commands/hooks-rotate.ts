import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findHook } from "#cli/session/find-hook.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { printHook } from "#cli/views/hook-facts.ts";

export const hooksRotate = defineCommand({
  name: "hooks rotate",
  summary: "Replace a hook's secret",
  details: ["The old secret works for another 24 hours. Set the new one at the git host in the meantime."],
  words: { hook: { isRequired: false, help: "Hook ID or repository (default: the project's)" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const found = await findHook(session, words.hook);
    if (!found.ok) return found;
    const hook = await session.client.rotateHook({ params: { hook_id: found.value.id }, body: {} });
    if (!hook.ok) return hook;
    const { secret, ...shown } = hook.value;
    session.output.json(hook.value);
    printHook(session.output, shown, secret, await projectNames(session, shown.project_ids));
    return done;
  }),
});
