import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";

import * as z from "zod/mini";

import { jobsHere, type PlaceHere } from "#agent/workspace/place.ts";
import { commitFile, discardPrepared, prepareFile, preparedPath } from "#agent/workspace/prepared-file.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { CronJobReport } from "#contract/endpoints/cron/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";

const LiveJob = z.object({
  name: CronJobReport.shape.name,
  schedule: CronJobReport.shape.schedule,
  command: CronJobReport.shape.command,
  timezone: CronJobReport.shape.timezone,
  timeout_seconds: CronJobReport.shape.timeout_seconds,
  source: CronJobReport.shape.source,
  /** Since when it has this schedule, in Unix milliseconds. Earlier times of the schedule do not count. */
  since: z.int(),
});
export type LiveJob = z.infer<typeof LiveJob>;

/**
 * The cron jobs of a live deployment, `cron.json`. A run prepares it before its switch, and it becomes true with the verdict. So
 * jobs run in the live release only, and without the control plane.
 */
const LiveJobs = z.object({
  /** The run whose verdict makes it true; `null` for a correction. */
  run_id: z.nullable(z.string()),
  release: ReleaseVersion,
  /** `jobs` was resolved from these settings and the release. A correction has no order, so it uses them again. */
  settings: z.array(CronJob),
  jobs: z.array(LiveJob),
});
export type LiveJobs = z.infer<typeof LiveJobs>;
const storedJobs = storedAs(LiveJobs);

function read(path: string): LiveJobs | null {
  return attempt(() => storedJobs.parse(JSON.parse(readFileSync(path, "utf8"))), null);
}

/** @returns `null` for a project that never had a job. Synchronous, so that a start right after it is one step. */
export function readLiveJobs({ cron }: ProjectFolder): LiveJobs | null {
  return read(cron);
}

type JobsToPrepare = {
  readonly place: PlaceHere;
  readonly settings: readonly CronJob[];
  /** `null` for a correction. */
  readonly runId: string | null;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * Stores the jobs of a deployment that is about to be live. A job keeps the times that it has missed if its schedule stays.
 * @throws when the disk is full
 */
export async function prepareJobs(
  folder: ProjectFolder,
  release: Pick<Release, "version" | "cron">,
  { place, settings, runId, now }: JobsToPrepare,
): Promise<void> {
  const before = readLiveJobs(folder);
  const jobs = jobsHere(place, release.cron ?? [], settings).map((job): LiveJob => {
    const earlier = before?.jobs.find(
      ({ name, schedule, timezone }) =>
        name === job.name && schedule === job.schedule && timezone === job.timezone,
    );
    return { ...job, since: earlier?.since ?? now };
  });
  if (jobs.length === 0 && before === null) return discardNextJobs(folder);
  const next: LiveJobs = { run_id: runId, release: release.version, settings: [...settings], jobs };
  await prepareFile(folder.cron, next);
}

/** Replaces the running jobs with the prepared jobs. Safe to repeat, and needs no space on the disk. */
export function commitJobs({ cron }: ProjectFolder): Promise<void> {
  return commitFile(cron);
}

export function discardNextJobs({ cron }: ProjectFolder): Promise<void> {
  return discardPrepared(cron);
}

/** After a recovery: keeps what the run prepared if it went live. @param runId `null` if none did */
export async function recoverJobs(folder: ProjectFolder, runId: string | null): Promise<void> {
  const isItsOwn = runId !== null && read(preparedPath(folder.cron))?.run_id === runId;
  await (isItsOwn ? commitJobs(folder) : discardNextJobs(folder));
}

/** Deletes the cron jobs of a project, so that none starts from now on. */
export async function removeJobs(folder: ProjectFolder): Promise<void> {
  await discardNextJobs(folder);
  await rm(folder.cron, { force: true });
}
