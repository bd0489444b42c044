import type { AgentContext } from "#agent/context/context.ts";
import { readDesired } from "#agent/apps/desired.ts";
import { type LiveJob, readLiveJobs } from "#agent/workspace/live-jobs.ts";
import { listRunNotes } from "#agent/jobs/cron/run-notes.ts";
import { STOPPED } from "#agent/jobs/cron/skip-reasons.ts";
import { checkCron } from "#agent/policy/check-commands.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readTimes } from "#project-files/cron/find-cron-problem.ts";
import { nextRun } from "#project-files/cron/run-times.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { type CronJobReport, MAX_LISTED_CRON_RUNS } from "#contract/endpoints/cron/schemas.ts";

/** Reports the jobs of a project with their latest runs, or one job with all of its runs. */
export function reportJobs(
  context: Pick<AgentContext, "clock" | "policy">,
  folder: ProjectFolder,
  only: CronName | null,
): CronJobReport[] {
  const jobs = readLiveJobs(folder)?.jobs ?? [];
  return jobs
    .filter(({ name }) => only === null || name === only)
    .map((live): CronJobReport => {
      const { since: _, ...job } = live;
      const problem = jobProblem(context, job)?.message ?? (isStopped(folder) ? STOPPED : null);
      const times = readTimes(job);
      const next =
        problem !== null || !times.ok
          ? null
          : nextRun(times.value.schedule, times.value.zone, context.clock.now());
      const notes = listRunNotes(folder, job.name).slice(0, only === null ? MAX_LISTED_CRON_RUNS : undefined);
      return {
        ...job,
        next_run_at: next === null ? null : new Date(next).toISOString(),
        problem: problem?.slice(0, 1000).toWellFormed() ?? null,
        runs: notes.map(({ run }) => run),
      };
    });
}

/** Whether all processes of the project were stopped by a user. */
export function isStopped(folder: ProjectFolder): boolean {
  const processes = readDesired(folder)?.processes ?? [];
  return processes.length > 0 && processes.every(({ stopped }) => stopped);
}

/** Why a job cannot run on this server, as the end of a sentence; `null` if it can. */
export function jobProblem(
  { policy }: Pick<AgentContext, "policy">,
  job: Omit<LiveJob, "since">,
): { readonly code: "failed" | "refused_by_policy"; readonly message: string } | null {
  const times = readTimes(job);
  if (!times.ok) return { code: "failed", message: `its ${times.field} ${times.reason}` };
  const refusal = checkCron(policy, [job]);
  return refusal === null ? null : { code: "refused_by_policy", message: refusal };
}
