import { listRunNotes } from "#agent/jobs/cron/run-notes.ts";
import type { LiveJob } from "#agent/workspace/live-jobs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readTimes, type Times } from "#project-files/cron/find-cron-problem.ts";

/**
 * Until when the times of a cron job are handled. `since`: when the job got its schedule. Both are Unix milliseconds.
 */
export type CronProgress = { readonly since: number; readonly until: number; readonly times: Times };

/** Reads what an earlier agent process has handled. @returns `null` for a schedule that cannot be read */
export function readProgress(folder: ProjectFolder, job: LiveJob): CronProgress | null {
  const times = readTimes(job);
  return times.ok ? { since: job.since, until: handledBefore(folder, job), times: times.value } : null;
}

function handledBefore(folder: ProjectFolder, { name, since }: LiveJob): number {
  const times = listRunNotes(folder, name).map(({ run }) => Date.parse(run.scheduled_for ?? ""));
  // The newest with a time: after a clock that was put back, an older one may be later.
  return Math.max(since, times.find((time) => !Number.isNaN(time)) ?? 0);
}
