import { defineCommand } from "#cli/arguments/command.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { confirm } from "#cli/ask.ts";
import { missing } from "#cli/outcome.ts";
import { applyOptions, checkApply, endChange } from "#cli/variables/apply-change.ts";
import { findVariables } from "#cli/variables/find-variables.ts";
import { withSession } from "#cli/session/session.ts";

export const variablesRemove = defineCommand({
  name: "variables remove",
  summary: "Remove variables and secrets of a project",
  details: [
    "All removals of a call form one revision. Asks for confirmation; without a terminal, pass --yes.",
  ],
  words: { name: { isRequired: true, isList: true, help: "Variable to remove (can be repeated)" } },
  options: {
    yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" },
    ...applyOptions,
  },
  examples: ["variables remove OLD_FLAG OLD_TOKEN --yes"],
  run: withSession(async (session, { words, options }) => {
    const { client } = session;
    const isApplicable = checkApply(options);
    if (!isApplicable.ok) return isApplicable;
    const found = await findVariables(session);
    if (!found.ok) return found;
    const { projectId, variables: before } = found.value;
    const params = { project_id: projectId };
    const names = before.variables.map(({ name }) => name);
    const unknown = words.name.find((name) => !names.includes(name));
    if (unknown !== undefined)
      return missing(`The project has no variable ${unknown}.${didYouMean(unknown, names)}`);
    const remove = [...new Set(words.name)];
    const confirmed = await confirm(session, `Remove ${remove.join(", ")}?`, options.yes);
    if (!confirmed.ok) return confirmed;
    const removed = await client.updateVariables({ params, body: { remove } });
    if (!removed.ok) return removed;
    const what = `Removed ${remove.join(", ")}`;
    return endChange(session, removed.value, { projectId, before: before.revision, what }, options);
  }),
});
