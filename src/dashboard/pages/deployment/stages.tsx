import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { useNow } from "#dashboard/data/clock.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { stagesOf } from "#dashboard/pages/deployment/stages-of.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

type Props = { readonly deployment: Deployment; readonly log: LogStore };

/** The stages of a deployment, with their states and durations. */
export function Stages({ deployment, log }: Props) {
  const { hasEnded, problem } = useSignal(log.state);
  // A log that cannot be loaded gets no more lines.
  const isComplete = hasEnded || problem !== null;
  const now = useNow();
  return (
    <ol class="stages" aria-label="Stages">
      {stagesOf(deployment, { times: log.stageStarts, isComplete }, now).map(({ stage, state, seconds }) => (
        <li key={stage} class={state} aria-current={state === "current" ? "step" : undefined}>
          <span>{buildingLabels[stage]}</span>
          <span class="time">
            {state === "skipped" ? "skipped" : seconds === null ? "" : durationText(seconds)}
          </span>
          <span class="hidden">{state}</span>
        </li>
      ))}
    </ol>
  );
}
