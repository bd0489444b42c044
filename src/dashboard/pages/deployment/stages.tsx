import type { Deployment } from "#contract/deployments.ts";
import { useNow } from "#dashboard/data/clock.ts";
import type { LogStore } from "#dashboard/data/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { durationText } from "#dashboard/text/times.ts";
import { stageWords } from "#dashboard/text/words.ts";

const order = ["queued", "fetch", "build", "activate", "verify"] as const;
type Stage = (typeof order)[number];

type StageState = "done" | "failed" | "current" | "open" | "skipped";
type Shown = { readonly stage: Stage; readonly state: StageState; readonly seconds: number | null };

type Props = { readonly deployment: Deployment; readonly log: LogStore };

/** How far a deployment has come, and how long each stage took: from its first line of the log to that of the next. */
export function Stages({ deployment, log }: Props) {
  useSignal(log.state);
  const now = useNow();
  return (
    <ol class="stages" aria-label="Stages">
      {stagesOf(deployment, log, now).map(({ stage, state, seconds }) => (
        <li key={stage} class={state} aria-current={state === "current" ? "step" : undefined}>
          <span>{stageWords[stage]}</span>
          <span class="time">
            {state === "skipped" ? "skipped" : seconds === null ? "" : durationText(seconds)}
          </span>
          <span class="hidden">{state}</span>
        </li>
      ))}
    </ol>
  );
}

function stagesOf(deployment: Deployment, log: LogStore, now: number): Shown[] {
  const { status, stage: current, failure, finished_at: finishedAt } = deployment;
  const startOf = (stage: Stage): number | null =>
    stage === "queued" ? Date.parse(deployment.created_at) : (log.beginnings.get(stage) ?? null);
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  const isRunning = status === "building";
  const currentAt = order.findIndex((stage) => stage === current);
  return order.map((stage, at) => {
    const start = startOf(stage);
    const next = order
      .slice(at + 1)
      .map(startOf)
      .find((time) => time !== null);
    const until =
      stage === "queued" && deployment.started_at !== null ? Date.parse(deployment.started_at) : next;
    const seconds = start === null ? null : Math.max(0, ((until ?? end) - start) / 1000);
    const state: StageState =
      failure?.stage === stage
        ? "failed"
        : isRunning && stage === current
          ? "current"
          : start !== null
            ? "done"
            : isRunning && at > currentAt
              ? "open"
              : "skipped";
    return { stage, state, seconds };
  });
}
