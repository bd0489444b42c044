import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findVariables } from "#cli/variables/find-variables.ts";
import { withSession } from "#cli/session/session.ts";
import { noteNotSealed, variableColumns, variableRow } from "#cli/views/variable-text.ts";

export const variablesList = defineCommand({
  name: "variables list",
  isGroupDefault: true,
  summary: "List the variables and secrets of a project",
  details: ["The values of secrets are never shown: only the agent of the server can open them."],
  words: {},
  options: {},
  examples: ["variables", "variables list -p shop --json"],
  run: withSession(async (session) => {
    const { output } = session;
    const found = await findVariables(session);
    if (!found.ok) return found;
    const { variables } = found.value;
    output.json(variables);
    const rows = variables.variables.map((each) => variableRow(each, variables, output));
    output.table(variableColumns, rows);
    noteNotSealed(session, variables);
    return done;
  }),
});
