import { durationText } from "#contract/lib/duration-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogEnd } from "#contract/endpoints/logs/schemas.ts";
import { printable } from "#cli/output/printable.ts";
import { type ServerNames, serverNames } from "#cli/session/server-names.ts";
import type { RunsWatch } from "#cli/session/watch-runs.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";
import { sourceText, stageTimesText } from "#cli/views/deployment-text.ts";
import { outcomeLines, whereText } from "#cli/views/run-text.ts";
import { printFailure } from "#cli/views/print-failure.ts";

/**
 * Prints how a followed deployment ended, and the site's URL if it is live; of several servers, how it ended on each.
 * @param watch of the servers, if it was followed; null: not yet
 */
export async function printVerdict(
  session: Session,
  { id, version }: { readonly id: DeploymentId; readonly version: number },
  { status, failure }: Pick<LogEnd, "status" | "failure">,
  watch: RunsWatch | null,
): Promise<void> {
  const { output, client } = session;
  if (output.form === "json") return;
  const { bold, red, green, yellow, dim } = output.style;
  const name = bold(`v${version}`);
  if (status === "deleted") return output.line(`${red("✗")} ${name} was deleted`);
  // These details are optional: without them the verdict is still printed.
  const read = await client.getDeployment({ params: { deployment_id: id } });
  const details = read.ok ? dim(` ${detailsText(read.value)}`) : "";
  const runs = read.ok ? read.value.runs : [];
  const ids = runs.map((run) => run.server_id);
  const nameOf = watch?.nameOf ?? (read.ok ? await serverNames(session, read.value.project_id, ids) : idOf);
  watch?.end(runs);
  const printOutcome = () => {
    for (const line of outcomeLines(runs, status === "live", nameOf)) output.line(`  ${line}`);
  };
  switch (status) {
    case "live": {
      output.line(`${green("✓")} ${name} is live${whereText(runs)}:${details}`);
      printOutcome();
      const url = read.ok ? await urlOf(session, read.value) : null;
      if (url !== null) output.line(`  ${printable(url)}`);
      return;
    }
    case "superseded":
      return output.line(
        `${yellow("■")} ${name} was live and has been replaced by a newer deployment:${details}`,
      );
    case "canceled":
      output.line(`${yellow("■")} ${name} was canceled:${details}`);
      return printOutcome();
    case "failed": {
      const server = failure?.server_id;
      printFailure(output, name, failure, details, server === undefined ? null : nameOf(server));
      return printOutcome();
    }
  }
}

const idOf: ServerNames = (id) => id;

/** Where the project's site is; null if it has none, or if the token may not read the project. */
async function urlOf(
  session: Session,
  { project_id }: Pick<Deployment, "project_id">,
): Promise<string | null> {
  if (!(await mayCall(session, "getProject"))) return null;
  const project = await session.client.getProject({ params: { project_id } });
  return project.ok ? project.value.url : null;
}

/** `main at 8e8412f "Change the title", 14 s (fetch 0.8 s, build 12 s)` */
function detailsText(deployment: Deployment): string {
  const times = stageTimesText(deployment.stages);
  const total = durationText(deployment.duration);
  return `${sourceText(deployment)}, ${total}${times === null ? "" : ` (${times})`}`;
}
