import { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import * as schemas from "#contract/endpoints/cron/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const run = {
  number: 17,
  trigger: "schedule",
  scheduled_for: "2026-11-20T01:30:00.000Z",
  status: "exited",
  exit_code: 0,
  signal: null,
  message: "ended with exit code 0",
  release: 12,
  started_at: "2026-11-20T01:30:00.212Z",
  finished_at: "2026-11-20T01:30:41.870Z",
  times: 1,
} as const;

const manual = {
  ...run,
  number: 18,
  trigger: "manual",
  scheduled_for: null,
  status: "running",
  exit_code: null,
  message: null,
  started_at: "2026-11-20T10:02:11.061Z",
  finished_at: null,
} as const;

const job = {
  name: "backup",
  schedule: "30 2 * * *",
  command: "node scripts/backup.js",
  timezone: "Europe/Berlin",
  timeout_seconds: 3600,
  source: "project",
  next_run_at: "2026-11-21T01:30:00.000Z",
  problem: null,
  runs: [run],
} as const;

export const cronTexts = {
  listCronJobs: {
    summary: "List the cron jobs of a project and their latest runs",
    description: prose`
      Returns the jobs of the live deployment, each with its next run and its latest five. The server answers this, so
      it must be connected. Jobs come from the project's setting \`cron\` and from gantry.json; a change takes effect
      with the next deployment, or with \`POST /v1/projects/{project_id}/apply\`.`,
    answer: { jobs: [job] },
  },
  getCronJob: {
    summary: "Get a cron job and its runs",
    description: prose`
      Returns a job of the live deployment with the runs that its server keeps: the newest 20, and the times at which it
      was skipped.`,
    answer: job,
  },
  runCronJob: {
    summary: "Run a cron job now",
    description: prose`
      Runs a job now, in the live release, as at its time. The response comes when it has started. A job never runs
      twice at the same time (409 \`too_many\`). To retry safely after a network error, send an \`Idempotency-Key\`: the
      job is then run once.`,
    body: {},
    answer: manual,
    location: `/v1/projects/${example.project}/cron/backup/runs/18/output`,
  },
  getCronOutput: {
    summary: "Read the output of a run of a cron job",
    description: prose`
      Returns the output of a run from \`offset\` on. To follow it, repeat the request with \`offset\` set to
      \`next_offset\` and with \`wait_seconds\`: the response then comes when there are new lines, when the run has ended,
      or after that time. It is complete when \`complete\` is true. The first MiB of the output is kept. The values of
      secrets are hidden.`,
    answer: {
      lines: [{ stream: "stdout", message: "Saved 1204 orders" }],
      next_offset: 52,
      complete: true,
      run,
    },
  },
  stopCronRun: {
    summary: "Stop a run of a cron job",
    description: prose`
      Stops a run: its processes get SIGTERM, and SIGKILL if they still run after 10 seconds. If it has ended already,
      nothing happens. The response comes when it has ended, or after three seconds.`,
    body: {},
    answer: { ...run, status: "stopped", exit_code: null, message: "was stopped" },
  },
} as const satisfies Partial<OperationTexts>;

const jobFields = {
  name: "Its name, unique in the project.",
  schedule:
    "When it runs, as the five fields of crontab(5): minute, hour, day of the month, month and day of the week, such as `30 2 * * *`. Or one of `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`.",
  command: "The command, which `sh -c` runs in the root directory of the live release.",
  timezone: "The time zone of the schedule, such as `Europe/Berlin`. Default: `UTC`.",
  timeout_seconds: "After how many seconds a run is stopped. Default: 3600.",
};

export const cronSchemas = {
  CronTrigger: choice(schemas.CronTrigger, "Why a job was run.", {
    schedule: "its time had come",
    catch_up: "its time had passed while the server or the agent was off",
    manual: "a user ran it",
  }),
  CronRunStatus: choice(schemas.CronRunStatus, "The state of a run.", {
    running: "it runs",
    exited: "it ended by itself, with an exit code",
    killed: "a signal ended it, or it used more memory than its limit",
    stopped: "a user stopped it",
    timed_out: "it was stopped at its time limit",
    lost: "it was ended because the agent ended",
    not_started: "the server could not start it",
    skipped: "it was not run at its time",
  }),
  CronJob: object(CronJob, "A cron job: a command that runs at the times of a schedule.", jobFields),
  CronRun: object(schemas.CronRun, "A run of a cron job.", {
    number: "Its number. The first run of a job is 1.",
    trigger: "Why it was run.",
    scheduled_for: "The time of the schedule. `null`: a user ran it.",
    status: "Its state.",
    exit_code: "Its exit code. `null`: it has not ended by itself.",
    signal: "The signal that ended it. `null`: none did.",
    message: "How it ended, such as `ended with exit code 1`, or why it was skipped. `null`: it runs.",
    release: "The release that it ran in. `null`: it was skipped.",
    started_at: "When it was started or skipped.",
    finished_at: "When it ended. `null`: it runs.",
    times: "How many runs in a row were skipped for the same reason. 1 for a run that was not skipped.",
  }),
  CronJobReport: object(schemas.CronJobReport, "A cron job of the live deployment.", {
    ...jobFields,
    timezone: "The time zone of the schedule.",
    timeout_seconds: "After how many seconds a run is stopped.",
    source: "Where it comes from: the `project`'s settings, or gantry.json of its `repository`.",
    next_run_at: "When it runs next. `null`: it does not, see `problem`.",
    problem: "Why it cannot run now. `null`: it can.",
    runs: "Its runs, the newest first.",
  }),
  CronJobList: object(schemas.CronJobList, "The cron jobs of a project.", {
    jobs: "The jobs of the live deployment, by name.",
  }),
  CronOutput: object(schemas.CronOutput, "A part of the output of a run.", {
    lines: "The lines from `offset` on.",
    next_offset: "Where the output continues.",
    complete: "Whether the run has ended and these are its last lines.",
    run: "The run.",
  }),
} satisfies Record<string, SchemaText>;
