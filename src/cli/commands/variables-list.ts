import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
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
    const { client, output } = session;
    const project = await findProject(session);
    if (!project.ok) return project;
    const variables = await client.getVariables({ params: { project_id: project.value.id } });
    if (!variables.ok) return variables;
    output.json(variables.value);
    const rows = variables.value.variables.map((each) => variableRow(each, variables.value, output));
    output.table(variableColumns, rows);
    noteNotSealed(session, variables.value);
    return done;
  }),
});
