import { durationText } from "#contract/lib/duration-text.ts";
import type { CronJobReport, CronRun, CronRunStatus } from "#contract/endpoints/cron/schemas.ts";
import { sourceText } from "#contract/processes/command-source.ts";
import type { Output } from "#cli/output/output.ts";
import type { Style } from "#cli/output/style.ts";
import { nextTimeText, timeText } from "#cli/output/times.ts";

export const cronColumns = ["JOB", "SCHEDULE", "NEXT RUN", "LAST RUN", "RESULT", "SOURCE", "COMMAND"];
export const runColumns = ["RUN", "STARTED", "DURATION", "RESULT", "REASON"];

type Form = Pick<Output, "form" | "style">;

const statusStyles = {
  running: "cyan",
  exited: "green",
  killed: "red",
  stopped: "yellow",
  timed_out: "red",
  lost: "red",
  not_started: "red",
  skipped: "yellow",
} as const satisfies Record<CronRunStatus, keyof Style>;

/** A table row for each job, in `cronColumns`. */
export function cronRows(jobs: readonly CronJobReport[], output: Form): readonly (readonly string[])[] {
  return jobs.map((job) => {
    const [last] = job.runs;
    return [
      job.name,
      job.timezone === "UTC" ? job.schedule : `${job.schedule} ${job.timezone}`,
      nextTimeText(job.next_run_at, output),
      last === undefined ? "never" : timeText(last.started_at, output),
      last === undefined ? "–" : resultText(last, output),
      sourceText(job.source === "project" ? "project" : "gantry.json"),
      job.command,
    ];
  });
}

/** A table row for each run of a job, in `runColumns`. */
export function runRows(runs: readonly CronRun[], output: Form): readonly (readonly string[])[] {
  return runs.map((run) => [
    `${run.number}`,
    timeText(run.started_at, output),
    durationOf(run),
    resultText(run, output),
    run.status === "exited" && run.trigger !== "manual" ? "" : (run.message ?? run.trigger),
  ]);
}

/** Why cron jobs cannot run, a line for each. */
export function cronNotes(jobs: readonly CronJobReport[]): readonly string[] {
  return jobs.flatMap(({ name, problem }) => (problem === null ? [] : [`${name} does not run: ${problem}.`]));
}

function resultText(run: CronRun, { form, style }: Form): string {
  const { status, exit_code: code, times } = run;
  if (status === "exited")
    return style[code === 0 ? "green" : "red"](code === 0 ? "ok" : `exit code ${code}`);
  const text = form === "plain" ? status : status.replace("_", " ");
  return style[statusStyles[status]](times === 1 ? text : `${text} ${times} times`);
}

function durationOf({ status, started_at: from, finished_at: to }: CronRun): string {
  if (to === null || status === "skipped") return "–";
  return durationText(Math.max(0, Date.parse(to) - Date.parse(from)) / 1000);
}
