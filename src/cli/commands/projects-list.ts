import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { allProjects } from "#cli/session/find-project.ts";
import { withSession } from "#cli/session/session.ts";

export const projectsList = defineCommand({
  name: "projects list",
  isGroupDefault: true,
  summary: "List projects",
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { output } = session;
    const projects = await allProjects(session);
    if (!projects.ok) return projects;
    output.json({ projects: projects.value });
    output.table(
      ["NAME", "FRAMEWORK", "DOMAIN", "LAST DEPLOYMENT", "ID"],
      projects.value.map(({ name, framework, domain, last_deploy: last, id }) => [
        printableName(name),
        framework,
        domain,
        timeText(last, output),
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
