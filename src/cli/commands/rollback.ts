import {
  outlookText,
  type RollbackChoices,
  willWait,
} from "#contract/endpoints/deployments/rollback-outlook.ts";
import {
  RollbackSettings,
  type RollbackTarget,
  RollbackVariables,
} from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, type ProjectId } from "#contract/ids.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { emergencyOption } from "#cli/session/emergency-option.ts";
import { versionIn } from "#cli/session/find-deployment.ts";
import { type NamedId, findProject, shownName } from "#cli/session/find-named.ts";
import { serverNames } from "#cli/session/server-names.ts";
import { commandLine, type Session, withSession } from "#cli/session/session.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { keptFilesText, sourceText } from "#cli/views/deployment-text.ts";
import { warningsOption } from "#cli/views/log-printer.ts";

export const rollback = defineCommand({
  name: "rollback",
  summary: "Roll back to an earlier deployment",
  details: [
    "Without --to, rolls back to the newest older deployment whose commit differs from the live one. Deployments that changed only variables or processes are skipped. A second rollback goes further back. If the server still has the files, nothing is fetched or built.",
    "The rollback runs with the project's current settings and variables, or, with --settings deployed and --variables deployed, with the settings and variables of the deployment that it rolls back to.",
    "Freezes and approvals do not hold code that was live before. They hold current settings and variables that are not live yet: the rollback then runs with the settings of the deployment that it rolls back to and the variables that are live, and says so. With --settings current or --variables current, it waits as a deployment does.",
  ],
  words: {},
  meantByExtra: "to",
  otherNames: { version: "to", deployment: "to", release: "to", id: "to", revision: "to", v: "to" },
  options: {
    to: { kind: "text", value: "DEPLOYMENT", help: "Deployment to roll back to: version (12 or v12) or ID" },
    settings: {
      kind: "text",
      value: "WHICH",
      choices: RollbackSettings.options,
      help: "Settings to run with (default: current, unless they would wait)",
    },
    variables: {
      kind: "text",
      value: "WHICH",
      choices: RollbackVariables.options,
      help: "Variables to run with (default: current, unless they would wait)",
    },
    follow: { kind: "flag", short: "f", help: "Show the log until the rollback ends" },
    ...emergencyOption,
    ...warningsOption,
  },
  examples: [
    "rollback --follow",
    "rollback --to v12",
    "rollback --to v12 --settings deployed --variables deployed",
  ],
  run: withSession(async (session, { options }) => {
    const { client } = session;
    const id = DeploymentId.safeParse(options.to);
    const version = options.to === null || id.success ? null : versionIn(options.to);
    if (options.to !== null && !id.success && version === null)
      return stop("usage", "--to must be a version such as 12 or v12, or an ID (dpl_…).");
    const project = await findProject(session);
    if (!project.ok) return project;
    const choices = {
      settings: RollbackSettings.options.find((each) => each === options.settings) ?? null,
      variables: RollbackVariables.options.find((each) => each === options.variables) ?? null,
    };
    await printTarget(session, project.value, choices, (target) =>
      options.to === null ? target.default : target.version === version || target.deployment_id === id.data,
    );
    const started = await client.rollBack({
      body: {
        project_id: project.value.id,
        ...givenFields({
          version,
          deployment_id: id.success ? id.data : null,
          ...choices,
          emergency: options.emergency,
        }),
      },
    });
    const what = `Rollback of ${shownName(session, project.value)}`;
    const { follow, warnings } = options;
    // The log says it too.
    const outlook = follow || !started.ok ? null : await readCanaryOutlook(session, project.value.id);
    return printStarted(session, started, { what, follow, warnings, outlook });
  }),
});

/** Reads whether a deployment ahead of the rollback waits for an approval of its first servers. @returns prints what to do */
async function readCanaryOutlook(
  session: Session,
  projectId: ProjectId,
): Promise<((version: number) => void) | null> {
  const { client, output } = session;
  if (output.form === "json") return null;
  const query = { project_id: projectId, status: "building", limit: 100 } as const;
  const building = await client.listDeployments({ query });
  const waiting = building.ok
    ? building.value.deployments.find(
        ({ waiting_on: on }) => on?.type === "approval" && on.until !== undefined,
      )
    : undefined;
  if (waiting === undefined) return null;
  const name = `v${waiting.version}`;
  return (version) => {
    output.note(
      `v${version} waits for ${name}, which has switched on its first servers and waits for an approval.`,
    );
    output.note(`  Let the others follow:  ${commandLine(session, `approve ${name}`)}`);
    output.note(`  Undo ${name} instead:   ${commandLine(session, `cancel v${version} ${name}`)}`);
  };
}

/**
 * Prints the rollback's target and its settings, if they are known. The control plane decides whether the rollback is
 * possible.
 */
async function printTarget(
  session: Session,
  { id }: NamedId<ProjectId>,
  choices: RollbackChoices,
  isTarget: (target: RollbackTarget) => boolean,
): Promise<void> {
  const { client, output } = session;
  if (output.form === "json") return;
  const [targets, live] = await Promise.all([
    client.listRollbackTargets({ params: { project_id: id } }),
    client.listDeployments({ query: { project_id: id, status: "live", limit: 1 } }),
  ]);
  const target = targets.ok ? targets.value.rollback_targets.find(isTarget) : undefined;
  if (target === undefined) return;
  // Only an uneven state names servers.
  const ids = target.instant ? [] : target.servers.map((server) => server.id);
  const how = keptFilesText(target, await serverNames(session, id, ids));
  const [now] = live.ok ? live.value.deployments : [];
  const isSame = target.commit !== null && target.commit === now?.commit;
  output.note(
    `Rolling back to v${target.version}: ${sourceText(target)}${isSame ? " (the same code as now)" : ""}, live ${timeText(target.live_at, output)}; ${how}.`,
  );
  const outlook = outlookText(target, choices);
  if (outlook === null) return;
  const ways = willWait(target, choices)
    ? " To not wait, pass --settings deployed --variables deployed, or --emergency REASON."
    : "";
  output.note(printable(`${outlook}${ways}`));
}
