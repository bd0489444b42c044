import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import {
  byUrgency,
  progressText,
  serverProgress,
  type ServerProgress,
  stageColumns,
} from "#dashboard/pages/deployment/server-runs.ts";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

type Props = {
  readonly deployment: Deployment;
  readonly log: LogStore;
  readonly nameOf: (id: ServerId) => string;
  /** The server whose lines of the log are shown; null: all. */
  readonly chosen: ServerId | null;
  readonly onChoose: (id: ServerId | null) => void;
};

/** The servers of a deployment with their stages. On a phone, servers that need attention are the first. */
export function RunGrid({ deployment, log, nameOf, chosen, onChoose }: Props) {
  // The log has the times of the stages.
  useSignal(log.state);
  const now = useNow();
  const isNarrow = useBrowserValue(() => matchMedia("(width < 720px)").matches, "resize");
  const all = serverProgress(deployment, log.serverStages, now);
  const columns = stageColumns(all);
  const choose = (id: ServerId) => {
    onChoose(chosen === id ? null : id);
    if (chosen === id) return;
    // After the log shows its lines. The grid of many servers is higher than a window.
    requestAnimationFrame(() => {
      const choice = document.querySelector<HTMLElement>(".log .of-server");
      choice?.focus({ preventScroll: true });
      choice?.closest(".log")?.scrollIntoView();
    });
  };
  return (
    <section class="runs" aria-label="Servers">
      <p class="quiet">{progressText(all)}</p>
      <div class="table">
        <table role="table" aria-label="Stages of each server">
          <thead role="rowgroup">
            <tr role="row">
              {["Server", "Status", ...columns.map((stage) => buildingLabels[stage])].map((title) => (
                <th key={title} role="columnheader" scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {(isNarrow ? byUrgency(all) : all).map((server) => (
              <Row
                key={server.id}
                server={server}
                columns={columns}
                name={nameOf(server.id)}
                isChosen={server.id === chosen}
                onChoose={() => choose(server.id)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

type RowProps = {
  readonly server: ServerProgress;
  readonly columns: ReturnType<typeof stageColumns>;
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

function Row({ server: { label, tone, stages }, columns, name, isChosen, onChoose }: RowProps) {
  return (
    <tr role="row" class={isChosen ? "chosen" : ""}>
      <th role="rowheader" scope="row">
        <button
          type="button"
          class="subtle"
          aria-pressed={isChosen}
          title={isChosen ? "Show the lines of all servers" : `Show the lines of ${name}`}
          onClick={onChoose}
        >
          {name}
        </button>
      </th>
      <td role="cell" class="standing">
        <span class={`status ${tone}`}>{label}</span>
      </td>
      {columns.map((column) => {
        const { state = "open", seconds = null } = stages.find(({ stage }) => stage === column) ?? {};
        return (
          <td key={column} role="cell" class={`stage ${state}`}>
            <span class="hidden">
              {buildingLabels[column]} {state}
            </span>
            <span class="time" aria-hidden={seconds === null}>
              {seconds === null ? (state === "skipped" ? "–" : "") : durationText(seconds)}
            </span>
          </td>
        );
      })}
    </tr>
  );
}
