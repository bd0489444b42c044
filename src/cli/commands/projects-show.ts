import { defineCommand } from "#cli/arguments/command.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { done } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { findProject } from "#cli/session/find-named.ts";
import { printWithKey } from "#cli/session/print-with-key.ts";
import { withSession } from "#cli/session/session.ts";
import { shellQuote } from "#node/shell-quote.ts";

export const projectsShow = defineCommand({
  name: "projects show",
  summary: "Show a project, its settings and its deploy key",
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const project = await client.getProject({ params: { project_id: found.value.id } });
    if (!project.ok) return project;
    await printWithKey(session, project.value);
    noteSuggestion(output, project.value);
    return done;
  }),
});

/** Prints the command line that sets the release command of the framework, unless the project has one. */
function noteSuggestion(
  output: Output,
  { id, release_command, suggested_release_command: suggested }: Project,
): void {
  if (release_command !== null || suggested === null) return;
  output.note(
    "Projects like this one usually have a release command, which runs before each switch. To set it:",
  );
  output.note(`  gantry projects set ${id} --release-command ${shellQuote(suggested)}`);
}
