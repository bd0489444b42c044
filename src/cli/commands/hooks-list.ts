import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { withSession } from "#cli/session/session.ts";
import { hookState } from "#cli/views/hook-facts.ts";

export const hooksList = defineCommand({
  name: "hooks list",
  isGroupDefault: true,
  summary: "List the hooks to which git hosts report pushes",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const hooks = await readAll(client.listHooks, (page) => page.hooks);
    if (!hooks.ok) return hooks;
    output.json({ hooks: hooks.value });
    output.table(
      ["REPOSITORY", "HOST", "PROJECTS", "STATE", "ID"],
      hooks.value.map((hook) => [
        printableName(hook.repository),
        hook.forge,
        `${hook.project_ids.length}`,
        hookState(hook, output),
        output.style.dim(hook.id),
      ]),
    );
    return done;
  }),
});
