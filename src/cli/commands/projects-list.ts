import { readAll } from "#client/read-all.ts";
import { mayBeDetectedLater } from "#contract/frameworks/is-detected-later.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { withSession } from "#cli/session/session.ts";

export const projectsList = defineCommand({
  name: "projects list",
  isGroupDefault: true,
  summary: "List projects",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const projects = await readAll(client.listProjects, (page) => page.projects);
    if (!projects.ok) return projects;
    output.json({ projects: projects.value });
    output.table(
      ["NAME", "FRAMEWORK", "DOMAIN", "LAST DEPLOYMENT", "ID"],
      projects.value.map((project) => [
        printableName(project.name),
        mayBeDetectedLater(project) ? "–" : project.framework,
        project.domain,
        timeText(project.last_deploy, output),
        output.style.dim(project.id),
      ]),
    );
    return done;
  }),
});
