import type { AgentContext } from "#agent/context/context.ts";
import { createJobRuns } from "#agent/jobs/job-runs.ts";
import { refuseJob } from "#agent/jobs/refuse-job.ts";
import { createDueTimes } from "#agent/jobs/cron/due-times.ts";
import { type Cause, skippedRun, startedRun } from "#agent/jobs/cron/new-run.ts";
import { type LiveJob, type LiveJobs, readLiveJobs } from "#agent/workspace/live-jobs.ts";
import { isStopped, jobProblem, reportJobs } from "#agent/jobs/cron/report-jobs.ts";
import { isFailing } from "#agent/jobs/cron/job-health.ts";
import { IS_RUNNING, STOPPED } from "#agent/jobs/cron/skip-reasons.ts";
import { runFiles } from "#agent/jobs/cron/run-files.ts";
import {
  hasRunFor,
  listRunNotes,
  markerOf,
  nextNumber,
  pruneRuns,
  removeRunsOfOthers,
  writeRunNote,
} from "#agent/jobs/cron/run-notes.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentRequestOf } from "#contract/agent-requests.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobReport, CronRun, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Runs the cron jobs of all projects at the times of their schedules. */
export type Cron = {
  /** Runs jobs until the signal is aborted. Never throws. */
  keepTimes(signal: AbortSignal): Promise<void>;
  report(project: ProjectId, job: CronName | null): CronJobReport[];
  /** Runs a job now. @throws when the disk is full */
  readonly run: (request: AgentRequestOf<"run_cron">) => Promise<CronRunReading>;
  readonly read: (request: AgentRequestOf<"read_cron_run">) => Promise<CronRunReading>;
  readonly stop: (request: AgentRequestOf<"stop_cron_run">) => Promise<CronRunReading>;
  /** Ends the runs of a project, or all (`null`) with the agent: then it starts no more. */
  end(project: ProjectId | null): Promise<void>;
};

type Refusal = Extract<CronRunReading, { ok: false }>;

const MINUTE_MS = 60_000;

/** @param onChange called when a job begins or ends to fail */
export function createCron(context: AgentContext, onChange: (project: ProjectId) => void): Cron {
  const runs = createJobRuns<CronRun>(context);
  const dueTimes = createDueTimes(context.clock);
  /** The starts of each job, in sequence. */
  const turns = new Map<string, Promise<unknown>>();
  /** The live deployment and job names of each project at the last check, to delete runs of removed jobs only once. */
  const seen = new Map<ProjectId, string>();
  /** Whether each job failed at the last end of a run. */
  const failing = new Map<string, boolean>();
  let isEnding = false;

  /** Called when a run has ended or was skipped. The end of the agent ends runs too, and the next agent process reports it. */
  function noteEnd(folder: ProjectFolder, name: CronName): void {
    const id = `${folder.id} ${name}`;
    const isNow = isFailing(folder, name);
    const wasFailing = failing.get(id) ?? !isNow;
    failing.set(id, isNow);
    if (isNow !== wasFailing && !isEnding) onChange(folder.id);
  }

  async function checkAll(): Promise<void> {
    for (const { folder } of await listProjects(context.home)) {
      const live = readLiveJobs(folder);
      if (live === null) continue;
      tidy(folder, live);
      for (const job of live.jobs) check(folder, job);
    }
  }

  function tidy(folder: ProjectFolder, { run_id, jobs }: LiveJobs): void {
    const names = jobs.map(({ name }) => name);
    const state = [run_id, ...names].join(" ");
    if (seen.get(folder.id) === state) return;
    seen.set(folder.id, state);
    removeRunsOfOthers(folder, names);
  }

  function check(folder: ProjectFolder, job: LiveJob): void {
    const due = dueTimes.next(folder, job);
    if (due === null) return;
    void runDue(folder, job.name, due).catch((error: unknown) =>
      context.log(`${folder.id}: the job ${job.name} was not run: ${messageOf(error)}`),
    );
  }

  /** A job that is due and cannot run is noted as skipped. */
  async function runDue(
    folder: ProjectFolder,
    name: CronName,
    cause: Cause & { time: number },
  ): Promise<void> {
    await inTurn(folder, name, async () => {
      // The clock was wrong for a while, as of a server whose battery is empty until the network has set its clock.
      if (cause.trigger === "catch_up" && hasRunFor(folder, name, cause.time)) return;
      const started = await start(folder, name, cause);
      if (started.ok || started.code === "unknown_job" || isEnding) return;
      context.log(`${folder.id}: the job ${name} was skipped: ${started.message}`);
      await noteSkipped(folder, name, cause, started.message);
    });
  }

  function inTurn<Value>(folder: ProjectFolder, name: CronName, act: () => Promise<Value>): Promise<Value> {
    const id = `${folder.id} ${name}`;
    const turn = (turns.get(id) ?? Promise.resolve()).then(act, act);
    turns.set(id, turn);
    return turn;
  }

  async function start(
    folder: ProjectFolder,
    name: CronName,
    cause: Cause,
  ): Promise<ResultOf<number, Omit<Refusal, "ok">>> {
    // From here to the start of the run in one step: a removal of the project ends all runs that it finds.
    const live = readLiveJobs(folder);
    const job = live?.jobs.find((one) => one.name === name);
    if (live === null || job === undefined) return refuseJob("unknown_job", "the project has no such job");
    const isRunning = listRunNotes(folder, name).some(({ run }) =>
      runs.isRunning(runFiles(folder, name, run.number)),
    );
    if (isRunning) return refuseJob("is_running", IS_RUNNING);
    const problem = jobProblem(context, job);
    if (problem !== null) return refuseJob(problem.code, problem.message);
    if (cause.trigger !== "manual" && isStopped(folder)) return refuseJob("failed", STOPPED);
    const number = nextNumber(folder, name);
    const kept = runFiles(folder, name, number, cause.trigger === "manual" ? cause.key : null);
    const files = {
      ...kept,
      prune: () => {
        kept.prune();
        noteEnd(folder, name);
      },
    };
    const started = await runs.start(files, {
      ...{ line: job.command, marker: markerOf(folder, name, number), timeoutSeconds: job.timeout_seconds },
      release: () => Promise.resolve(live.release),
      begin: (release, startedAt) => startedRun(number, cause, release, startedAt),
    });
    if (started.ok) return succeed(number);
    const { code, message } = started;
    return refuseJob(code === "not_live" ? "failed" : code, message);
  }

  async function noteSkipped(
    folder: ProjectFolder,
    job: CronName,
    cause: Cause,
    reason: string,
  ): Promise<void> {
    const newest = listRunNotes(folder, job)[0]?.run ?? null;
    const now = new Date(context.clock.now()).toISOString();
    const run = skippedRun(newest, nextNumber(folder, job), cause, reason, now);
    await writeRunNote(folder, { job, key: null, run });
    pruneRuns(folder, job);
    noteEnd(folder, job);
  }

  async function read(
    folder: ProjectFolder,
    job: CronName,
    number: number,
    offset: number,
    waitMs: number,
  ): Promise<CronRunReading> {
    const reading = await runs.read(runFiles(folder, job, number), offset, waitMs);
    if (reading === null)
      return refuseJob("unknown_run", "the server does not have this run: it keeps only the newest ones");
    const { state: run, ...output } = reading;
    return { ok: true, run, ...output };
  }

  async function runNow({ project_id, job, key }: AgentRequestOf<"run_cron">): Promise<CronRunReading> {
    const folder = projectFolder(context.home, project_id);
    const started = await inTurn(folder, job, async () => {
      const known = listRunNotes(folder, job).find((note) => note.key === key);
      return known === undefined
        ? await start(folder, job, { trigger: "manual", key })
        : succeed(known.run.number);
    });
    return started.ok ? read(folder, job, started.value, 0, 0) : started;
  }

  return {
    async keepTimes(signal) {
      const { cronCheckMs } = context.settings;
      while (!signal.aborted) {
        await checkAll().catch((error: unknown) =>
          context.log(`the jobs could not be checked: ${messageOf(error)}`),
        );
        const untilNextMinute = MINUTE_MS - (context.clock.now() % MINUTE_MS);
        await pause(Math.min(cronCheckMs, untilNextMinute), signal);
      }
    },
    report: (project, job) => reportJobs(context, projectFolder(context.home, project), job),
    run: runNow,
    read: ({ project_id, job, run, offset, wait_ms }) =>
      read(projectFolder(context.home, project_id), job, run, offset, wait_ms),
    async stop({ project_id, job, run }) {
      const folder = projectFolder(context.home, project_id);
      await runs.stop(runFiles(folder, job, run));
      return read(folder, job, run, 0, 0);
    },
    async end(project) {
      if (project === null) isEnding = true;
      await runs.end(project);
    },
  };
}
