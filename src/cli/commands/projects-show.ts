import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printProject } from "#cli/views/project-facts.ts";

export const projectsShow = defineCommand({
  name: "projects show",
  summary: "Show a project and its settings",
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const project = await client.getProject({ params: { project_id: found.value.id } });
    if (!project.ok) return project;
    printProject(output, project.value);
    return done;
  }),
});
