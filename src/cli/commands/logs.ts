import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { type LogLine, MAX_LOG_PAGE } from "#contract/endpoints/logs/schemas.ts";
import { DeploymentId, ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome, type Result, stop } from "#cli/outcome.ts";
import { appOptionIn, appOptions, printAppOutput } from "#cli/session/app-output.ts";
import { DEPLOYMENT_HELP, findDeployment, versionIn } from "#cli/session/find-deployment.ts";
import { followDeployment } from "#cli/session/follow-deployment.ts";
import { serverNames } from "#cli/session/server-names.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { createLogPrinter, warningsOption } from "#cli/views/log-printer.ts";
import { latestRuns } from "#cli/views/run-text.ts";
import { serverPrefixes } from "#cli/views/server-prefix.ts";

export const logs = defineCommand({
  name: "logs",
  summary: "Show a deployment's log, or what the app prints",
  details: [
    "Without --follow, prints the log so far. With --follow, prints new lines until the deployment ends, and has the exit codes of deploy --follow. With --json, prints one JSON object per line.",
    "Of several servers, each line has the name of its server, also with --app. With --server, the lines of the other servers are left out.",
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
    server: {
      kind: "list",
      value: "SERVER",
      help: "Only the lines of this server, if the project has several",
    },
    ...warningsOption,
    ...appOptions,
  },
  examples: [
    "logs -f",
    "logs v12",
    "logs v12 --server web-2",
    "logs --app --process web",
    "logs --app --server web-2",
  ],
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
    const lines = await readServers(session, found.value, options.server);
    if (!lines.ok) return lines;
    return options.follow
      ? followDeployment(session, {
          id,
          version,
          bookmark: null,
          showsWarnings: options.warnings,
          endsWhenHeld: false,
          isShown: lines.value.isShown,
        })
      : printLog(session, found.value, options.warnings, lines.value);
  }),
});

const isDeployment = (word: string): boolean =>
  DeploymentId.safeParse(word).success || versionIn(word) !== null;

/** Which lines of a log are printed, and what each begins with. */
type Lines = {
  readonly isShown: (line: LogLine) => boolean;
  readonly prefixOf: (line: LogLine) => string;
};

/** The lines of all servers, or of the servers that `--server` names. Lines of the control plane are always printed. */
async function readServers(
  session: Session,
  { project_id: projectId, server_id: only, runs }: Deployment,
  words: readonly string[],
): Promise<Result<Lines>> {
  const ids = latestRuns(runs).map((run) => run.server_id);
  if (words.length === 0 && ids.length === 0) return succeed({ isShown: () => true, prefixOf: () => "" });
  const servers = ids.length === 0 ? [only] : ids;
  const needsNames =
    session.output.form !== "json" || words.some((word) => !ServerId.safeParse(word).success);
  const nameOf = await serverNames(session, projectId, servers, needsNames);
  const wanted = new Set<ServerId>();
  for (const word of words) {
    const id = servers.find((one) => one === word || nameOf(one) === word.normalize("NFC"));
    if (id === undefined) {
      const names = servers.map(nameOf);
      return stop(
        "usage",
        `The deployment does not go to the server ${word}, but to ${names.join(", ")}.${didYouMean(word, names)}`,
      );
    }
    wanted.add(id);
  }
  return succeed({
    isShown: ({ server_id: id }) => id === undefined || wanted.size === 0 || wanted.has(id),
    prefixOf: ids.length === 0 ? () => "" : serverPrefixes(session.output, ids, nameOf),
  });
}

async function printLog(
  { client, output }: Session,
  { id, failure }: Deployment,
  showsWarnings: boolean,
  { isShown, prefixOf }: Lines,
): Promise<Outcome> {
  const printer = createLogPrinter(output, showsWarnings, {
    failedStage: failure?.stage ?? null,
    prefixOf,
  });
  let cursor: string | null = null;
  do {
    const query = { limit: MAX_LOG_PAGE, ...(cursor === null ? {} : { cursor }) };
    const page = await client.getDeploymentLog({ params: { deployment_id: id }, query });
    if (!page.ok) return page;
    for (const line of page.value.lines.filter(isShown)) printer.print(line);
    // While the deployment runs there is always a next page, which may be empty.
    cursor = page.value.lines.length === 0 ? null : page.value.next_cursor;
  } while (cursor !== null);
  printer.end(null);
  return done;
}
