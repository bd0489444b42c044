import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { LINK_NAME, writeLink } from "#cli/settings/link-file.ts";

export const projectsLink = defineCommand({
  name: "projects link",
  summary: "Link this repository to a project",
  details: [
    `Writes ${LINK_NAME} to the repository's root. Commands in the repository then use this project. The file holds the installation's URL and the project's ID and no secret, so you can commit it.`,
  ],
  words: { project: { isRequired: true, help: "Project name or ID" } },
  options: {},
  examples: ["projects link shop"],
  run: withSession(async (session, { words }) => {
    const { client, output, folder, url } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const project = await client.getProject({ params: { project_id: found.value.id } });
    if (!project.ok) return project;
    const { id, name } = project.value;
    const path = await writeLink(folder, { url, project: id, name });
    if (!path.ok) return path;
    output.json({ path: path.value, url, project: id, name });
    output.line(`Linked to ${printableName(name)} in ${path.value}.`);
    return done;
  }),
});
