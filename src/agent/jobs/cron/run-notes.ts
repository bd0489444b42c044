import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import { CronRun, MAX_KEPT_CRON_RUNS } from "#contract/endpoints/cron/schemas.ts";
import { CommandId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * The agent's note of a run of a job, `cron/<job>/<number>.json`. It is written before the start, so that a job never
 * runs twice for the same time, and again at the end. `key`: of the request for the run; null: a schedule started it.
 */
const RunNote = z.object({ job: CronName, key: z.nullable(CommandId), run: CronRun });
export type RunNote = z.infer<typeof RunNote>;
const storedNote = storedAs(RunNote);

function pathOf({ cronRuns }: ProjectFolder, job: CronName, number: number, ending: "json" | "log"): string {
  return join(cronRuns, job, `${number}.${ending}`);
}

export function runOutputPath(folder: ProjectFolder, job: CronName, number: number): string {
  return pathOf(folder, job, number, "log");
}

/** Marks the processes of a run. Unique on the server. */
export function markerOf({ id }: ProjectFolder, job: CronName, number: number): string {
  return `cron-${id}-${job}-${number}`;
}

/** @returns `null` for a run that this server does not know */
export function readRunNote(folder: ProjectFolder, job: CronName, number: number): RunNote | null {
  const path = pathOf(folder, job, number, "json");
  return attempt(() => storedNote.parse(JSON.parse(readFileSync(path, "utf8"))), null);
}

/** Survives a power cut. @throws when the disk is full */
export async function writeRunNote(folder: ProjectFolder, note: RunNote): Promise<void> {
  const path = pathOf(folder, note.job, note.run.number, "json");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomic(path, `${JSON.stringify(note)}\n`, { mode: 0o600, flush: true });
}

/** The runs of a job that are kept, the newest first. */
export function listRunNotes(folder: ProjectFolder, job: CronName): readonly RunNote[] {
  return listRunNumbers(folder, job).flatMap((number) => readRunNote(folder, job, number) ?? []);
}

/** Whether a job ran, or was skipped, for this time of its schedule. @param time Unix milliseconds */
export function hasRunFor(folder: ProjectFolder, job: CronName, time: number): boolean {
  return listRunNotes(folder, job).some(({ run }) => Date.parse(run.scheduled_for ?? "") === time);
}

/** The number of the next run of a job. */
export function nextNumber(folder: ProjectFolder, job: CronName): number {
  return (listRunNumbers(folder, job)[0] ?? 0) + 1;
}

/** The runs that have not ended: they run, or ran when an earlier agent process ended. */
export function readUnfinishedRuns(folder: ProjectFolder): readonly RunNote[] {
  return listJobs(folder)
    .flatMap((job) => listRunNotes(folder, job))
    .filter(({ run }) => run.finished_at === null);
}

/**
 * Deletes all but the newest runs of a job and the newest times at which it was skipped. The last one of the schedule stays,
 * because it says which times were dealt with. Never throws.
 */
export function pruneRuns(folder: ProjectFolder, job: CronName): void {
  const notes = listRunNotes(folder, job);
  const last = notes.find(({ run }) => run.scheduled_for !== null);
  const ended = notes.filter((note) => note.run.finished_at !== null && note !== last);
  const isSkipped = ({ run }: RunNote) => run.status === "skipped";
  const skipped = ended.filter(isSkipped).slice(MAX_KEPT_CRON_RUNS);
  const ran = ended.filter((note) => !isSkipped(note)).slice(MAX_KEPT_CRON_RUNS);
  for (const { run } of [...skipped, ...ran]) {
    // The note last: a file without one would never be deleted.
    for (const ending of ["log", "json"] as const)
      attempt(() => rmSync(pathOf(folder, job, run.number, ending), { force: true }), undefined);
  }
}

/** Deletes the runs of jobs that no longer exist. A job that still runs keeps its runs. Never throws. */
export function removeRunsOfOthers(folder: ProjectFolder, jobs: readonly CronName[]): void {
  for (const job of listJobs(folder)) {
    if (jobs.includes(job) || listRunNotes(folder, job).some(({ run }) => run.finished_at === null)) continue;
    attempt(() => rmSync(join(folder.cronRuns, job), { recursive: true, force: true }), undefined);
  }
}

function listJobs({ cronRuns }: ProjectFolder): readonly CronName[] {
  return attempt(() => readdirSync(cronRuns), []).filter((name) => CronName.safeParse(name).success);
}

/** The numbers of the runs of a job that are kept, the newest first. Numbers and not times, because the clock may be put back. */
export function listRunNumbers({ cronRuns }: ProjectFolder, job: CronName): readonly number[] {
  return attempt(() => readdirSync(join(cronRuns, job)), [])
    .flatMap((file) => /^([1-9]\d{0,8})\.json$/.exec(file)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a);
}
