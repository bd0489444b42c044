import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findHook } from "#cli/session/find-hook.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { printHook, printHookSteps } from "#cli/views/hook-facts.ts";

export const hooksShow = defineCommand({
  name: "hooks show",
  summary: "Show a hook and how to add it at the git host",
  words: { hook: { isRequired: false, help: "Hook ID or repository (default: the project's)" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const hook = await findHook(session, words.hook);
    if (!hook.ok) return hook;
    session.output.json(hook.value);
    printHook(session.output, hook.value, null, await projectNames(session, hook.value.project_ids));
    printHookSteps(session.output, hook.value);
    return done;
  }),
});
