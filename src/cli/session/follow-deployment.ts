import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { followLog } from "#client/follow-log.ts";
import type { FollowedLogEvent } from "#client/log-event-reader.ts";
import type { Outcome } from "#cli/outcome.ts";
import { commandLine, type Session } from "#cli/session/session.ts";
import { RunsWatch } from "#cli/session/watch-runs.ts";
import { QueueWatch } from "#cli/session/watch-queue.ts";
import { createLogPrinter } from "#cli/views/log-printer.ts";
import { printVerdict } from "#cli/views/verdict.ts";

type Followed = {
  readonly id: DeploymentId;
  readonly version: number;
  /** The `Gantry-Bookmark` of the response that started the deployment; null if this command did not start it. */
  readonly bookmark: string | null;
  readonly showsWarnings: boolean;
  /** Whether to end when something holds the deployment, which can take days. */
  readonly endsWhenHeld: boolean;
  /** Whether to print a line. Default: all. */
  readonly isShown?: (line: LogLine) => boolean;
};

/**
 * Prints a deployment's log until the deployment ends, and reconnects after each lost connection. The exit is `done`
 * only if the deployment is live. Gives up if the control plane does not respond for the time of --wait, and ends if the
 * deployment is held.
 */
export async function followDeployment(session: Session, followed: Followed): Promise<Outcome> {
  const { output, transport, signal } = session;
  const { id, version, bookmark, showsWarnings, endsWhenHeld, isShown = () => true } = followed;
  /** Lines of several servers name them. A project with one server needs no further request. */
  let runs: RunsWatch | null = null;
  let hasAsked = false;
  const printer = createLogPrinter(output, showsWarnings, { prefixOf: (line) => runs?.prefixOf(line) ?? "" });
  const startedAt = performance.now();
  let stage = "queued";
  let disconnectedAt: number | null = null;
  output.progress.show(() => {
    const spent = durationText((performance.now() - startedAt) / 1000);
    const doing = runs?.counts ?? stage;
    const state = disconnectedAt === null ? doing : "cannot reach the control plane, reconnecting";
    const head = output.style.dim(`v${version}  ${state}  ${spent}`);
    return [head, ...(runs?.grid() ?? [])].join("\n");
  });
  const held = new AbortController();
  let waiting: Deployment["waiting_on"] = null;
  const queue = new QueueWatch(session, id, (deployment) => {
    waiting = deployment.waiting_on;
    if (endsWhenHeld) held.abort();
  });
  try {
    const either = AbortSignal.any([signal, held.signal]);
    for await (const event of followLog(transport, id, { bookmark, signal: either })) {
      if (event.type !== "waiting") disconnectedAt = null;
      switch (event.type) {
        case "line":
          ({ stage } = event.line);
          if (stage !== "queued" && !hasAsked) queue.stop();
          if (event.line.server_id !== undefined && !hasAsked) {
            hasAsked = true;
            queue.resume();
            runs = await RunsWatch.of(session, id);
          }
          runs?.see(event.line);
          if (isShown(event.line)) printer.print(event.line);
          break;
        case "waiting": {
          const outageMs = performance.now() - (disconnectedAt ?? performance.now());
          if (outageMs + event.ms > session.reconnectForMs) {
            printHowToResume(session, followed);
            return { ok: false, problem: event.problem };
          }
          if (disconnectedAt === null) printOutage(session, event);
          disconnectedAt ??= performance.now();
          break;
        }
        case "end":
          output.progress.hide();
          printer.end(event.failure?.stage ?? null);
          output.json({ type: "end", deployment_id: id, status: event.status, failure: event.failure });
          runs?.stop();
          await printVerdict(session, followed, event, runs);
          return { ok: true, exit: event.status === "live" ? "done" : "failed" };
        case "problem":
          printHowToResume(session, followed);
          return { ok: false, problem: event.problem };
      }
    }
  } finally {
    queue.stop();
    runs?.stop();
    output.progress.hide();
    printer.end(null);
  }
  if (held.signal.aborted && !signal.aborted) {
    output.json({ type: "held", deployment_id: id });
    printHowToResume(session, followed, waiting);
    return { ok: true, exit: "held" };
  }
  output.json({ type: "interrupted", deployment_id: id });
  printHowToResume(session, followed);
  return { ok: true, exit: "interrupted" };
}

function printOutage({ output }: Session, { problem }: Extract<FollowedLogEvent, { type: "waiting" }>): void {
  output.json({ type: "waiting", problem });
  output.note(`${problem.detail} The deployment continues. Trying again.`);
}

function printHowToResume(
  session: Session,
  { id, version }: Followed,
  waiting: Deployment["waiting_on"] = null,
): void {
  const { output } = session;
  output.progress.hide();
  output.note(`Stopped following v${version}. The deployment continues.`);
  if (waiting?.type === "approval")
    output.note(`  Approve it:       ${commandLine(session, `approve ${id}`)}`);
  output.note(`  Follow it again:  ${commandLine(session, `logs -f ${id}`)}`);
  output.note(`  Cancel it:        ${commandLine(session, `cancel ${id}`)}`);
}
