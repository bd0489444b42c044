import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
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
    const { client, output } = session;
    const project = await findProject(session);
    if (!project.ok) return project;
    const variables = await client.getVariables({ params: { project_id: project.value.id } });
    if (!variables.ok) return variables;
    output.json(variables.value);
    for (const variable of variables.value.variables) {
      const entry = variable.secret
        ? `# ${variable.name} is a secret. Its value cannot be exported.`
        : writeEnv(variable.name, variable.value);
      // A terminal would act on control characters; a file must have them.
      for (const line of entry.split("\n")) output.line(output.form === "terminal" ? printable(line) : line);
    }
    return done;
  }),
});
