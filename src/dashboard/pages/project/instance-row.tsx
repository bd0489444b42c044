import type { InstanceReport } from "#contract/endpoints/processes/schemas.ts";
import type { Sample } from "#dashboard/pages/project/samples.ts";
import { Usage } from "#dashboard/pages/project/usage.tsx";
import { useNow } from "#dashboard/data/clock.ts";
import { dateText, spanText } from "#dashboard/text/times.ts";
import { instanceLabels } from "#dashboard/pages/project/process-labels.ts";

type Props = { readonly instance: InstanceReport; readonly samples: readonly Sample[] };

/** An instance in one row: its state, uptime, restarts, memory and CPU. */
export function InstanceRow({ instance, samples }: Props) {
  const { name, state, started_at: since, restarts } = instance;
  return (
    <li class="instance">
      <code>{name}</code>
      <span class={`status ${state}`}>{instanceLabels[state]}</span>
      <span class="quiet">{since === null ? "not running" : <Uptime since={since} />}</span>
      <span class={restarts === 0 ? "quiet" : ""}>
        {restarts === 1 ? "1 restart" : `${restarts} restarts`}
      </span>
      <Usage what="memory" samples={samples} />
      <Usage what="cpu" samples={samples} />
    </li>
  );
}

function Uptime({ since }: { readonly since: string }) {
  const now = useNow();
  return (
    <time dateTime={since} title={dateText(since)}>
      up {spanText(Math.max(0, Math.floor((now - Date.parse(since)) / 1000)))}
    </time>
  );
}
