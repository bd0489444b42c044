import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const projectsDelete = defineCommand({
  name: "projects delete",
  summary: "Delete a project and its deployments and logs",
  details: ["Without --purge, the server still serves a site that is live and runs its processes."],
  words: { project: { isRequired: true, help: "Project name or ID" } },
  options: {
    purge: {
      kind: "flag",
      help: "Also delete its files on the server, which takes the site down and ends its processes",
    },
    yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" },
  },
  run: withSession(async (session, { words, options }) => {
    const project = await findProject(session, words.project);
    if (!project.ok) return project;
    const { id, name } = project.value;
    const shownName = printableName(name ?? id);
    const query = options.purge ? { purge: "true" as const } : {};
    return remove(session, {
      question: options.purge
        ? `Delete ${shownName}, its deployments and its logs, and its files on the server?`
        : `Delete ${shownName}, its deployments and its logs? If it is live, its server still serves the site and runs its processes; --purge ends both.`,
      yes: options.yes,
      send: () => session.client.deleteProject({ params: { project_id: id }, query }),
      json: { deleted: id },
      line: options.purge
        ? `${shownName} is deleted.`
        : `${shownName} is deleted. If it was live, its server still serves the site and runs its processes.`,
    });
  }),
});
