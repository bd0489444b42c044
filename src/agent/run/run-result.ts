import type { InterruptReason } from "#agent/step/interrupt.ts";
import type { RunEnd } from "#agent/step/step.ts";
import type { RunResult } from "#contract/agent-events.ts";
import type { DeploymentStage } from "#contract/endpoints/deployments/schemas.ts";
import type { RunStage } from "#contract/stages.ts";

/** The result of a run that ended early. @returns `null` when the control plane accepts no more events of the run */
export function resultOf(end: RunEnd, reason: InterruptReason | null, stage: RunStage): RunResult | null {
  if (end.kind === "failed" && reason !== "ended") return { outcome: "failed", failure: end.failure };
  return interruptedResult(reason, stage);
}

/** What happened to a run that had not switched when its agent stopped. */
export function stoppedMessage(stage: DeploymentStage): string {
  return stage === "release"
    ? "the agent stopped during the release command, which may have taken effect in part and is not run again"
    : "the agent stopped during this deployment";
}

/** The result of an interrupted run. @returns `null` when the control plane has ended the run itself */
export function interruptedResult(reason: InterruptReason | null, stage: RunStage): RunResult | null {
  if (reason === "ended") return null;
  if (reason === "stop") return { outcome: "canceled" };
  return { outcome: "failed", failure: { code: "server_lost", message: stoppedMessage(stage), stage } };
}
