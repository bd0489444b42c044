import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-project.ts";
import { withSession } from "#cli/session/session.ts";
import { wasRemoved } from "#cli/session/was-removed.ts";

export const projectsDelete = defineCommand({
  name: "projects delete",
  summary: "Delete a project with its deployments and logs",
  words: { project: { isRequired: true, help: "Its name or id" } },
  options: {
    purge: { kind: "flag", help: "Also remove its files from its server, so that its site ends" },
    yes: { kind: "flag", short: "y", help: "Do not ask" },
  },
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const project = await findProject(session, words.project);
    if (!project.ok) return project;
    const { id, name } = project.value;
    const spoken = printableName(name ?? id);
    const isSure = await confirm(
      session,
      `Delete ${spoken}, its deployments and its logs${options.purge ? ", and its files on the server" : ""}?`,
      options.yes,
    );
    if (!isSure.ok) return isSure;
    const query = options.purge ? { purge: "true" as const } : {};
    const removed = await client.deleteProject({ params: { project_id: id }, query });
    if (!wasRemoved(removed) && !removed.ok) return removed;
    output.json({ deleted: id });
    output.line(`${spoken} is deleted.`);
    return done;
  }),
});
