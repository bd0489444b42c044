import type { AgentContext } from "#agent/context/context.ts";
import { decideRun } from "#agent/jobs/cron/decide-run.ts";
import { type CronProgress, readProgress } from "#agent/jobs/cron/read-progress.ts";
import type { LiveJob } from "#agent/workspace/live-jobs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** `time`: the time of the schedule, in Unix milliseconds. `catch_up`: the job is late, because its time was missed. */
type Due = { readonly trigger: "schedule" | "catch_up"; readonly time: number };

/** Notices when cron jobs are due. */
export type DueTimes = {
  /** @returns the time for which the job has to run now, each time once; `null`: none */
  next(folder: ProjectFolder, job: LiveJob): Due | null;
};

export function createDueTimes(clock: AgentContext["clock"]): DueTimes {
  /** Until when the times of each job are handled. Its schedule is read once. */
  const progress = new Map<string, CronProgress>();
  return {
    next(folder, job) {
      const id = `${folder.id} ${job.name}`;
      const before = progress.get(id);
      const known = before?.since === job.since ? before : readProgress(folder, job);
      if (known === null) return null;
      const { handled: until, due, isLate } = decideRun(known.times, known.until, clock.now());
      progress.set(id, { ...known, until });
      return due === null ? null : { trigger: isLate ? "catch_up" : "schedule", time: due };
    },
  };
}
