import type { JobFiles } from "#agent/jobs/job-files.ts";
import {
  pruneRuns,
  readRunNote,
  type RunNote,
  runOutputPath,
  writeRunNote,
} from "#agent/jobs/cron/run-notes.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { type CronRun, MAX_CRON_OUTPUT_BYTES } from "#contract/endpoints/cron/schemas.ts";

/** The files of a run of a job. @param key of the request that asked for it */
export function runFiles(
  folder: ProjectFolder,
  job: CronName,
  number: number,
  key: RunNote["key"] = null,
): JobFiles<CronRun> {
  return {
    folder,
    output: runOutputPath(folder, job, number),
    maxOutputBytes: MAX_CRON_OUTPUT_BYTES,
    read: () => readRunNote(folder, job, number)?.run ?? null,
    write: (run) => writeRunNote(folder, { job, key, run }),
    prune: () => pruneRuns(folder, job),
  };
}
