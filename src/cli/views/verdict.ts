import { durationText } from "#contract/lib/duration-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogEnd } from "#contract/endpoints/logs/schemas.ts";
import { printable } from "#cli/output/printable.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";
import { sourceText, stageTimesText } from "#cli/views/deployment-text.ts";
import { printFailure } from "#cli/views/print-failure.ts";

/** Prints how a followed deployment ended, and the site's URL if it is live. */
export async function printVerdict(
  session: Session,
  { id, version }: { readonly id: DeploymentId; readonly version: number },
  { status, failure }: Pick<LogEnd, "status" | "failure">,
): Promise<void> {
  const { output, client } = session;
  if (output.form === "json") return;
  const { bold, red, green, yellow, dim } = output.style;
  const name = bold(`v${version}`);
  if (status === "deleted") return output.line(`${red("✗")} ${name} was deleted`);
  // These details are optional: without them the verdict is still printed.
  const read = await client.getDeployment({ params: { deployment_id: id } });
  const details = read.ok ? dim(` ${detailsText(read.value)}`) : "";
  switch (status) {
    case "live": {
      output.line(`${green("✓")} ${name} is live:${details}`);
      const url = read.ok ? await urlOf(session, read.value) : null;
      if (url !== null) output.line(`  ${printable(url)}`);
      return;
    }
    case "superseded":
      return output.line(
        `${yellow("■")} ${name} was live and has been replaced by a newer deployment:${details}`,
      );
    case "canceled":
      return output.line(`${yellow("■")} ${name} was canceled:${details}`);
    case "failed":
      return printFailure(output, name, failure, details);
  }
}

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
