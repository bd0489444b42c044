import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { ClientResult } from "#client/send.ts";
import { done, type Outcome, stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { followDeployment } from "#cli/session/follow-deployment.ts";
import { commandLine, type Session } from "#cli/session/session.ts";

/** Says what came of a start or a rollback, and follows it if wanted. @param what begins the line: `Rollback of shop` */
export async function printStarted(
  session: Session,
  started: ClientResult<DeploymentStarted>,
  { what, follow }: { readonly what: string; readonly follow: boolean },
): Promise<Outcome> {
  const { output, signal } = session;
  if (!started.ok) {
    const isUnknown = started.problem.code === "unreachable" && signal.aborted;
    return isUnknown
      ? stop("interrupted", `It is not known whether it has started: ${commandLine(session, "deployments")}`)
      : started;
  }
  const { id, version } = started.value;
  output.json(follow ? { type: "started", ...started.value } : started.value);
  const { bold, dim } = output.style;
  output.line(`${printable(what)} has started: ${bold(`v${version}`)} ${dim(id)}`);
  if (follow)
    return followDeployment(session, { id, version, bookmark: started.headers.get("gantry-bookmark") });
  output.note(`Follow it with ${commandLine(session, `logs -f ${id}`)}`);
  return done;
}
