import { defineCommand } from "#cli/arguments/command.ts";
import { describeWaiting } from "#cli/session/describe-waiting.ts";
import { shellWord } from "#node/shell-quote.ts";
import { changesText } from "#contract/endpoints/deployments/changes-text.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import type { Deployment, DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { done } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { type ServerNames, serverNames } from "#cli/session/server-names.ts";
import { commandLine, type Session, withSession } from "#cli/session/session.ts";
import {
  buildText,
  failureText,
  sourceText,
  stageTimesText,
  statusStyles,
  statusText,
} from "#cli/views/deployment-text.ts";
import { runColumns, runRows } from "#cli/views/run-text.ts";

export const deploymentsShow = defineCommand({
  name: "deployments show",
  summary: "Show a deployment and why it failed",
  words: { deployment: { isRequired: false, help: `${DEPLOYMENT_HELP} (default: the newest)` } },
  options: {},
  examples: ["deployments show", "deployments show v12 --json"],
  run: withSession(async (session, { words }) => {
    const { output } = session;
    const found = await findDeployment(session, words.deployment);
    if (!found.ok) return found;
    const deployment = found.value;
    const {
      status,
      failure,
      waiting_on: waiting,
      variables_revision: revision,
      approved_by: approver,
      emergency,
    } = deployment;
    const evidence = failure?.evidence;
    const changed = changesText(deployment.changes);
    const { runs } = deployment;
    const nameOf = await serverNames(session, deployment.project_id, shownServers(deployment));
    output.json(deployment);
    printFacts(output, [
      ["version", `v${deployment.version}`],
      ["id", deployment.id],
      ["status", output.style[statusStyles[status]](statusText(deployment))],
      ["kind", await kindText(session, deployment)],
      ["changes", changed === null ? null : printable(changed)],
      ["source", sourceText(deployment)],
      ["by", printableName(deployment.actor.name)],
      ["approved by", approver === null ? null : printableName(approver.name)],
      ["emergency", emergency === null ? null : printable(emergency)],
      ["variables", revision === null ? null : `revision ${revision}`],
      ["build", deployment.build === null ? null : buildText(deployment.build, nameOf)],
      ["cache", deployment.clear_cache ? "cleared" : null],
      ["started", timeText(deployment.created_at, output)],
      ["took", deployment.started_at === null ? null : durationText(deployment.duration)],
      ["stages", stageTimesText(deployment.stages)],
      ["waiting", waiting === null ? null : await describeWaiting(session, waiting)],
      ["failure", failure === null ? null : `${whereText(failure, nameOf)}${failureText(failure)}`],
      ["failing line", failure?.failing_line === undefined ? null : printable(failure.failing_line)],
      ["hint", failure?.hint === undefined ? null : printable(failure.hint)],
      ["exit code", evidence?.exit_code?.toString() ?? null],
      ["signal", evidence?.signal ?? null],
      ["health check", evidence?.health_status?.toString() ?? null],
    ]);
    if (runs.length > 0) {
      if (output.form === "terminal") output.line();
      output.table(runColumns, runRows(runs, nameOf, output));
    }
    if (status === "live" && deployment.commit !== null) {
      const { branch, commit, commit_sha: sha } = deployment;
      // Registries do not complete a part of a digest.
      const name = sha?.length === DIGEST_LENGTH ? sha : commit;
      const source = `--branch ${shellWord(branch)} --commit ${name}`;
      output.note(`Deploy it again with ${commandLine(session, `deploy ${source}`)}`);
    }
    const tail = evidence?.stderr_tail?.trimEnd() ?? "";
    if (tail !== "") {
      output.line();
      for (const line of tail.split("\n")) output.line(output.style.yellow(printable(line)));
    }
    return done;
  }),
});

/** The hexadecimal digits of SHA-256. */
const DIGEST_LENGTH = 64;

function shownServers({ runs, failure }: Deployment): ServerId[] {
  const ids = runs.map(({ server_id: id }) => id);
  return failure?.server_id === undefined ? ids : [...ids, failure.server_id];
}

/** `on web-2: `; nothing if there is one server. */
function whereText({ server_id: id }: DeploymentFailure, nameOf: ServerNames): string {
  return id === undefined ? "" : `on ${nameOf(id)}: `;
}

/** `rollback to v3`. The deployment that a rollback goes back to may have been deleted, or removed after its time. */
async function kindText(
  { client, output }: Session,
  { kind, rollback_of: source }: Deployment,
): Promise<string> {
  if (source === null || output.form === "json") return kind;
  const read = await client.getDeployment({ params: { deployment_id: source } });
  if (read.ok) return `${kind} to v${read.value.version}`;
  return `${kind} to ${read.problem.status === 404 ? "a deployment that was removed" : source}`;
}
