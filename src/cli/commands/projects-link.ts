import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-project.ts";
import { withSession } from "#cli/session/session.ts";
import { LINK_NAME, writeLink } from "#cli/settings/link-file.ts";

export const projectsLink = defineCommand({
  name: "projects link",
  summary: "Say which project this repository is",
  details: [
    `Writes ${LINK_NAME} into the repository's root. It holds the installation's address and the project's id, no secret: commit it. Below that folder every command means this project.`,
  ],
  words: { project: { isRequired: true, help: "Its name or id" } },
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
    output.line(`${path.value} says that this is ${printableName(name)}.`);
    return done;
  }),
});
