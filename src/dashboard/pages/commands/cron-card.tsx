import { useState } from "preact/hooks";

import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import type { CronJobReport, CronRun } from "#contract/endpoints/cron/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import { cronApi } from "#dashboard/pages/commands/job-resources.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { RunRow } from "#dashboard/pages/commands/run-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago, NextAt } from "#dashboard/shared/times.tsx";
import { triggerLabels } from "#dashboard/pages/commands/run-labels.ts";
import { minuteText } from "#dashboard/text/times.ts";

type Props = {
  readonly projectId: ProjectId;
  readonly job: CronJobReport;
  readonly reload: () => Promise<void>;
};

/** A cron job with its schedule, its next run and its latest ones. */
export function CronCard({ projectId, job, reload }: Props) {
  const { name, schedule, timezone, command, next_run_at: next, problem, source, runs } = job;
  const mayRun = useAllowed(cronEndpoints.runCronJob, projectId);
  const [started, setStarted] = useState<number | null>(null);
  const params = { project_id: projectId, job: name };
  const running = useAction(() => cronApi.runCronJob({ params, body: {} }));
  const run = async () => {
    const begun = await running.run();
    if (begun === null) return;
    setStarted(begun.value.number);
    await reload();
  };
  return (
    <article class="card process" aria-label={name}>
      <header>
        <h3>{name}</h3>
        <span>
          <code>{schedule}</code> <span class="quiet">{timezone}</span>
        </span>
        <code class="command">{withHiddenShown(command)}</code>
        {source === "repository" ? <span class="tag">gantry.json</span> : null}
        {mayRun ? (
          <div class="actions">
            <Button label={`Run now: ${name}`} onClick={run} isBusy={running.isRunning}>
              Run now
            </Button>
          </div>
        ) : null}
      </header>
      <p class="quiet">
        {next === null ? (
          "Not scheduled."
        ) : (
          <>
            Next run <NextAt time={next} />, {minuteText(next)}.
          </>
        )}
      </p>
      {problem === null ? null : <p class="problem">{problem}</p>}
      <ProblemBox problem={running.problem} doing="Running the cron job" />
      {runs.length === 0 ? null : (
        <ul class="records" aria-label={`Runs of ${name}`}>
          {runs.map((one) => (
            <RunOfJob
              key={one.number}
              projectId={projectId}
              name={name}
              run={one}
              mayStop={mayRun}
              isNew={one.number === started}
              reload={reload}
            />
          ))}
        </ul>
      )}
    </article>
  );
}

type RunProps = {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly run: CronRun;
  readonly mayStop: boolean;
  /** It was started on this page. */
  readonly isNew: boolean;
  readonly reload: () => Promise<void>;
};

function RunOfJob({ projectId, name, run, mayStop, isNew, reload }: RunProps) {
  const { number, trigger, scheduled_for, started_at, status, message, times } = run;
  const params = { project_id: projectId, job: name, run: String(number) };
  const skipped = `${message ?? ""}${times > 1 ? ` (${times} times)` : ""}`;
  return (
    <RunRow
      name={`run ${number} of ${name}`}
      run={run}
      title={<span class="title">Run {number}</span>}
      stop={mayStop ? () => cronApi.stopCronRun({ params, body: {} }) : null}
      read={(query) => cronApi.getCronOutput({ params, query })}
      isNew={isNew}
      reload={reload}
    >
      <Ago time={scheduled_for ?? started_at} />
      {status === "skipped" ? `, ${skipped}` : ` ${triggerLabels[trigger]}`}
    </RunRow>
  );
}
