import type { DeploymentId } from "#contract/ids.ts";
import type { LogEnd } from "#contract/endpoints/logs/schemas.ts";
import { followLog } from "#client/follow-log.ts";
import type { FollowedLogEvent } from "#client/log-event-reader.ts";
import type { Exit } from "#cli/exit-codes.ts";
import type { Outcome } from "#cli/outcome.ts";
import { durationText } from "#cli/output/times.ts";
import { commandLine, type Session } from "#cli/session/session.ts";
import { waitingText } from "#cli/views/deployment-text.ts";
import { printLogLine } from "#cli/views/log-line.ts";
import { printVerdict } from "#cli/views/verdict.ts";

type Followed = {
  readonly id: DeploymentId;
  readonly version: number;
  /** Of the answer that told of the deployment; null where it is not new. */
  readonly bookmark: string | null;
};

/** A deployment that is queued for so long waits for something. */
const QUEUED_MS = 2_000;

/**
 * Shows a deployment's log until its end, across every cut of the connection, and ends with `done` only if it is live
 * then. It gives up where the control plane has not answered for the time that --wait says.
 */
export async function followDeployment(session: Session, followed: Followed): Promise<Outcome> {
  const { output, transport, signal } = session;
  const { id, version, bookmark } = followed;
  const startedAt = performance.now();
  let stage = "queued";
  let cutAt: number | null = null;
  output.progress.show(() => {
    const spent = durationText((performance.now() - startedAt) / 1000);
    const state = cutAt === null ? stage : "cannot reach the control plane, trying again";
    return output.style.dim(`v${version}  ${state}  ${spent}`);
  });
  const queued = setTimeout(() => void printWaiting(session, id), QUEUED_MS);
  try {
    for await (const event of followLog(transport, id, { bookmark, signal })) {
      if (event.type !== "waiting") cutAt = null;
      switch (event.type) {
        case "line":
          ({ stage } = event.line);
          if (stage !== "queued") clearTimeout(queued);
          printLogLine(output, event.line);
          break;
        case "waiting": {
          const outageMs = performance.now() - (cutAt ?? performance.now());
          if (outageMs + event.ms > session.followPatienceMs) {
            printHowToResume(session, followed);
            return { ok: false, problem: event.problem };
          }
          if (cutAt === null) printOutage(session, event);
          cutAt ??= performance.now();
          break;
        }
        case "end":
          output.progress.hide();
          output.json({ type: "end", deployment_id: id, status: event.status, failure: event.failure });
          await printVerdict(session, followed, event);
          return { ok: true, exit: exitOfEnd(event.status) };
        case "problem":
          printHowToResume(session, followed);
          return { ok: false, problem: event.problem };
      }
    }
  } finally {
    clearTimeout(queued);
    output.progress.hide();
  }
  output.json({ type: "interrupted", deployment_id: id });
  printHowToResume(session, followed);
  return { ok: true, exit: "interrupted" };
}

function exitOfEnd(status: LogEnd["status"]): Exit {
  switch (status) {
    case "live":
      return "done";
    // It was live, but whoever waits for it to be served now would be told a lie.
    case "superseded":
    case "failed":
    case "canceled":
    case "deleted":
      return "failed";
  }
}

function printOutage({ output }: Session, { problem }: Extract<FollowedLogEvent, { type: "waiting" }>): void {
  output.json({ type: "waiting", problem });
  output.note(`${problem.detail} The deployment goes on; trying again.`);
}

function printHowToResume(session: Session, { id, version }: Followed): void {
  const { output } = session;
  output.progress.hide();
  output.note(`v${version} is not followed any more; the deployment goes on.`);
  output.note(`  follow it again:  ${commandLine(session, `logs -f ${id}`)}`);
  output.note(`  cancel it:        ${commandLine(session, `cancel ${id}`)}`);
}

/** Says why nothing happens. Where that cannot be found out, nothing is lost. */
async function printWaiting({ client, output }: Session, id: DeploymentId): Promise<void> {
  const deployment = await client.getDeployment({ params: { deployment_id: id } });
  if (!deployment.ok || deployment.value.waiting_on === null) return;
  const { version, waiting_on: waiting } = deployment.value;
  output.json({ type: "queued", deployment_id: id, waiting_on: waiting });
  output.note(`v${version} ${waitingText(waiting)}`);
}
