import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { KeptOutput, type KeptOutputProps } from "#dashboard/pages/commands/kept-output.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Duration } from "#dashboard/shared/times.tsx";
import { type RunState, runClass, runLabel } from "#dashboard/pages/commands/run-labels.ts";

type Props = {
  /** For the names of its buttons, which tell the rows apart. */
  readonly name: string;
  readonly run: RunState;
  /** What ran, before its state. */
  readonly title: ComponentChildren;
  /** When and why, after its state. */
  readonly children: ComponentChildren;
  /** null: the token does not allow it. */
  readonly stop: (() => Promise<ClientResult<unknown>>) | null;
  readonly read: KeptOutputProps["read"];
  /** It was started on this page: its output is shown until the user hides it. */
  readonly isNew?: boolean;
  readonly reload: () => Promise<void>;
};

/** A one-off command, or a run of a cron job: its state, how long it took, and its output on demand. */
export function RunRow({ name, run, title, children, stop, read, isNew = false, reload }: Props) {
  const { status, message } = run;
  const [wanted, setWanted] = useState<boolean | null>(null);
  // A poll can show the run before the answer to its start.
  const isOpen = wanted ?? isNew;
  const stopping = useAction(() => stop?.() ?? Promise.resolve(nothing));
  const stopAndReload = async () => {
    await stopping.run();
    await reload();
  };
  return (
    <li class="record run">
      <div class="line">
        {title}
        <span class={`status ${runClass(run)}`}>{runLabel(run)}</span>
        <RunDuration run={run} />
        <span class="quiet">{children}</span>
        <span class="actions">
          {status === "running" && stop !== null ? (
            <Button label={`Stop ${name}`} onClick={stopAndReload} isBusy={stopping.isRunning}>
              Stop
            </Button>
          ) : null}
          {status === null || status === "skipped" ? null : (
            <Button
              variant="subtle"
              label={`${isOpen ? "Hide" : "Show"} output of ${name}`}
              onClick={() => setWanted(!isOpen)}
            >
              {isOpen ? "Hide output" : "Show output"}
            </Button>
          )}
        </span>
      </div>
      <ProblemBox problem={stopping.problem} doing="Stopping" />
      {isOpen ? <KeptOutput label={`Output of ${name}`} read={read} onEnd={reload} /> : null}
      {isOpen && message !== null ? <p class="quiet">It {message}.</p> : null}
    </li>
  );
}

const nothing: ClientResult<null> = { ok: true, value: null, status: 200, headers: new Headers() };

function RunDuration({ run: { started_at: start, finished_at: end, status } }: { readonly run: RunState }) {
  if (start === null || status === "skipped") return null;
  const seconds = end === null ? 0 : Math.max(0, Date.parse(end) - Date.parse(start)) / 1000;
  return (
    <span class="quiet duration">
      <Duration seconds={seconds} runningSince={end === null ? start : null} />
    </span>
  );
}
