import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { MAX_LOG_PAGE } from "#contract/endpoints/logs/schemas.ts";
import { DeploymentId } from "#contract/ids.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome, stop } from "#cli/outcome.ts";
import { appOptionIn, appOptions, printAppOutput } from "#cli/session/app-output.ts";
import { DEPLOYMENT_HELP, findDeployment, versionIn } from "#cli/session/find-deployment.ts";
import { followDeployment } from "#cli/session/follow-deployment.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { createLogPrinter, warningsOption } from "#cli/views/log-printer.ts";

export const logs = defineCommand({
  name: "logs",
  summary: "Show a deployment's log, or what the app prints",
  details: [
    "Without --follow, prints the log so far. With --follow, prints new lines until the deployment ends, and has the exit codes of deploy --follow. With --json, prints one JSON object per line.",
    "With --app, prints what the instances of the project print to stdout and stderr, read from its server: the last lines, then new lines until Ctrl-C, each after the name of its instance, at a terminal also after its time, which is not known for lines that were printed while the server's agent did not run. --ended prints the end of what instances printed that have ended. Nothing of it is stored outside of the server.",
  ],
  words: {
    deployment: {
      isRequired: false,
      help: `${DEPLOYMENT_HELP} (default: the newest); with --app, the project (default: the linked one)`,
    },
  },
  otherNames: { tail: "lines", limit: "lines", n: "lines", num: "lines", t: "follow", ps: "process" },
  options: {
    follow: { kind: "flag", short: "f", help: "Print new lines until the deployment ends" },
    ...warningsOption,
    ...appOptions,
  },
  examples: ["logs -f", "logs v12", "logs --app --process web"],
  run: withSession(async (session, { words, options }) => {
    if (options.app) return printAppOutput(session, words.deployment, options);
    const ofApp = appOptionIn(options);
    if (ofApp !== null)
      return stop("usage", `--${ofApp} belongs to --app. Use gantry logs --app --${ofApp}.`);
    const { deployment } = words;
    if (deployment !== null && !isDeployment(deployment))
      return stop(
        "usage",
        `${deployment} is not a deployment such as v12. The output of the process ${deployment}: gantry logs --app --process ${deployment}.`,
      );
    const found = await findDeployment(session, words.deployment);
    if (!found.ok) return found;
    const { id, version } = found.value;
    return options.follow
      ? followDeployment(session, {
          id,
          version,
          bookmark: null,
          showsWarnings: options.warnings,
          endsWhenHeld: false,
        })
      : printLog(session, found.value, options.warnings);
  }),
});

const isDeployment = (word: string): boolean =>
  DeploymentId.safeParse(word).success || versionIn(word) !== null;

async function printLog(
  { client, output }: Session,
  { id, failure }: Deployment,
  showsWarnings: boolean,
): Promise<Outcome> {
  const printer = createLogPrinter(output, showsWarnings, { failedStage: failure?.stage ?? null });
  let cursor: string | null = null;
  do {
    const query = { limit: MAX_LOG_PAGE, ...(cursor === null ? {} : { cursor }) };
    const page = await client.getDeploymentLog({ params: { deployment_id: id }, query });
    if (!page.ok) return page;
    for (const line of page.value.lines) printer.print(line);
    // While the deployment runs there is always a next page, which may be empty.
    cursor = page.value.lines.length === 0 ? null : page.value.next_cursor;
  } while (cursor !== null);
  printer.end(null);
  return done;
}
