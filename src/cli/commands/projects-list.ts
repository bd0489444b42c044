import { readAll } from "#client/read-all.ts";
import { mayBeDetectedLater } from "#project-files/frameworks/is-detected-later.ts";
import { type ProjectHealth, UNKNOWN_HEALTH } from "#contract/endpoints/projects/health.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { withSession } from "#cli/session/session.ts";
import { healthText } from "#cli/views/health-text.ts";

export const projectsList = defineCommand({
  name: "projects list",
  isGroupDefault: true,
  summary: "List projects",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const health = new Map<string, ProjectHealth>();
    const projects = await readAll(client.listProjects, (page) => {
      for (const [id, one] of Object.entries(page.health)) health.set(id, one);
      return page.projects;
    });
    if (!projects.ok) return projects;
    output.json({ projects: projects.value, health: Object.fromEntries(health) });
    output.table(
      ["NAME", "FRAMEWORK", "DOMAIN", "HEALTH", "LAST DEPLOYMENT", "ID"],
      projects.value.map((project) => [
        printableName(project.name),
        mayBeDetectedLater(project) ? "–" : project.framework,
        project.domain,
        healthText(health.get(project.id) ?? UNKNOWN_HEALTH, output.style),
        timeText(project.last_deploy, output),
        output.style.dim(project.id),
      ]),
    );
    return done;
  }),
});
