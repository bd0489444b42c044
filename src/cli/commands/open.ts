import { dashboardPaths } from "#contract/public-paths.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result } from "#cli/outcome.ts";
import { findDeployment } from "#cli/session/find-deployment.ts";
import { findProject } from "#cli/session/find-named.ts";
import { openBrowser } from "#cli/session/open-browser.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { variable } from "#cli/settings/variable.ts";
import { succeed } from "#contract/lib/result.ts";

export const open = defineCommand({
  name: "open",
  summary: "Open the dashboard in a browser",
  details: ["Prints the URL, and opens it if there is a terminal and a desktop."],
  words: {
    what: { isRequired: false, help: "Deployment version or ID, or project name or ID" },
  },
  options: {},
  examples: ["open", "open shop", "open v12"],
  run: withSession(async (session, { words }) => {
    const path = await pathOf(session, words.what);
    if (!path.ok) return path;
    const url = `${session.url}${dashboardPaths.root}/${path.value}`;
    session.output.json({ url });
    session.output.line(url);
    openBrowser(session, url);
    return done;
  }),
});

/** The path below the dashboard's URL. */
async function pathOf(session: Session, word: string | null): Promise<Result<string>> {
  if (word !== null && /^(?:v?\d+|dpl_.*)$/.test(word)) {
    const deployment = await findDeployment(session, word);
    return deployment.ok ? succeed(`deployments/${deployment.value.id}`) : deployment;
  }
  const isNamed = word !== null || session.global.project !== null || session.linkedProject !== null;
  if (!isNamed && variable(session.environment, "GANTRY_PROJECT") === null) return succeed("");
  const project = await findProject(session, word);
  return project.ok ? succeed(`projects/${project.value.id}`) : project;
}
