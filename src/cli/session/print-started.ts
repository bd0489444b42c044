import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { ClientResult } from "#client/send.ts";
import { done, type Outcome, stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { followDeployment } from "#cli/session/follow-deployment.ts";
import { commandLine, type Session } from "#cli/session/session.ts";

type Options = {
  readonly what: string;
  readonly follow: boolean;
  readonly warnings: boolean;
  /** Prints what the deployment will wait for. */
  readonly outlook?: ((version: number) => void) | null;
};

/** Prints the result of a start or a rollback, and follows it with --follow. @param what such as `Rollback of shop` */
export async function printStarted(
  session: Session,
  started: ClientResult<DeploymentStarted>,
  { what, follow, warnings, outlook = null }: Options,
): Promise<Outcome> {
  const { output, signal } = session;
  if (!started.ok) {
    const mayHaveStarted = started.problem.code === "unreachable" && signal.aborted;
    return mayHaveStarted
      ? stop("interrupted", `${what} may have started. Check with ${commandLine(session, "deployments")}`)
      : started;
  }
  const { id, version } = started.value;
  output.json(follow ? { type: "started", ...started.value } : started.value);
  const { bold, dim } = output.style;
  output.line(`${printable(what)} has started: ${bold(`v${version}`)} ${dim(id)}`);
  outlook?.(version);
  if (follow)
    return followDeployment(session, {
      id,
      version,
      bookmark: started.headers.get("gantry-bookmark"),
      showsWarnings: warnings,
      endsWhenHeld: true,
    });
  output.note(`Follow it with ${commandLine(session, `logs -f ${id}`)}`);
  return done;
}
