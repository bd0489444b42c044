import { readLastLine } from "#agent/jobs/command-output.ts";
import { BENIGN_SKIPS } from "#agent/jobs/cron/skip-reasons.ts";
import { listRunNumbers, readRunNote, runOutputPath } from "#agent/jobs/cron/run-notes.ts";
import { readLiveJobs } from "#agent/workspace/live-jobs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronRun } from "#contract/endpoints/cron/schemas.ts";
import { type FailedRun, type JobHealth, MAX_LAST_LINE } from "#contract/reported-health.ts";

/** Which cron jobs of a project fail. @returns `undefined` for a project that never had a job */
export function reportJobHealth(folder: ProjectFolder): JobHealth[] | undefined {
  return readLiveJobs(folder)?.jobs.map(({ name }) => ({ name, failed: firstFailure(folder, name) }));
}

/** The first of the runs in a row that failed; `null` if the last run that counts did not fail, or none has ended. */
function firstFailure(folder: ProjectFolder, job: CronName): FailedRun | null {
  let first: CronRun | null = null;
  for (const number of listRunNumbers(folder, job)) {
    const run = readRunNote(folder, job, number)?.run ?? null;
    const end = run === null ? "none" : endOfRun(run);
    if (end === "succeeded") break;
    if (end === "failed") first = run;
  }
  if (first === null) return null;
  const { number, status, exit_code, signal, message, finished_at: endedAt, started_at: startedAt } = first;
  const line = readLastLine(runOutputPath(folder, job, number));
  return {
    ...{ number, status, exit_code, signal, message },
    failed_at: endedAt ?? startedAt,
    last_line: line === null ? null : line.slice(0, MAX_LAST_LINE).toWellFormed(),
  };
}

/** Whether the newest run of a job that counts has failed. */
export function isFailing(folder: ProjectFolder, job: CronName): boolean {
  for (const number of listRunNumbers(folder, job)) {
    const run = readRunNote(folder, job, number)?.run ?? null;
    const end = run === null ? "none" : endOfRun(run);
    if (end !== "none") return end === "failed";
  }
  return false;
}

/** `none`: the run has not ended, a user stopped it, or it was skipped because another run does the work. */
function endOfRun({ status, exit_code: code, message }: CronRun): "succeeded" | "failed" | "none" {
  switch (status) {
    case "running":
    case "stopped":
      return "none";
    case "skipped":
      return message !== null && BENIGN_SKIPS.includes(message) ? "none" : "failed";
    case "exited":
      return code === 0 ? "succeeded" : "failed";
    case "killed":
    case "timed_out":
    case "lost":
    case "not_started":
      return "failed";
  }
}
