import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { findVariables } from "#cli/variables/find-variables.ts";
import { withSession } from "#cli/session/session.ts";
import { writeEnv } from "#cli/variables/write-env.ts";

export const variablesExport = defineCommand({
  name: "variables export",
  summary: "Print the variables of a project as a .env file",
  details: ["Secrets are only named in comments. With --json, prints what variables list --json prints."],
  words: {},
  options: {},
  examples: ["variables export > .env"],
  run: withSession(async (session) => {
    const { output } = session;
    const found = await findVariables(session);
    if (!found.ok) return found;
    const { variables } = found.value;
    output.json(variables);
    for (const variable of variables.variables) {
      const entry = variable.secret
        ? `# ${variable.name} is a secret. Its value cannot be exported.`
        : writeEnv(variable.name, variable.value);
      // A terminal would act on control characters; a file must have them.
      for (const line of entry.split("\n")) output.line(output.form === "terminal" ? printable(line) : line);
    }
    return done;
  }),
});
