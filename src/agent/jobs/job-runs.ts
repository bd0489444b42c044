import { appCommand } from "#agent/apps/command-in-release.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { CommandOutputWriter, readCommandOutput } from "#agent/jobs/command-output.ts";
import type { JobFiles, JobReading } from "#agent/jobs/job-files.ts";
import { type JobEnd, jobEnd, type StopReason } from "#agent/jobs/job-end.ts";
import { refuseJob } from "#agent/jobs/refuse-job.ts";
import { runJob } from "#agent/jobs/run-job.ts";
import { checkVariables } from "#agent/policy/check-variables.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import { readReleaseVariables } from "#agent/secrets/release-variables.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease, type Release } from "#agent/workspace/releases.ts";
import { INSTANCE_MARKER } from "#build/process/process-table.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { createMask } from "#contract/mask.ts";

/** What to run, and how its note begins. */
export type JobStart<State> = {
  readonly line: string;
  /** Marks its processes. */
  readonly marker: string;
  readonly timeoutSeconds: number;
  /** The version of the release to run in; `null` if the project has no live release. */
  readonly release: () => Promise<number | null>;
  readonly begin: (release: number, startedAt: string) => State;
};

export type JobRefusal = {
  readonly code: "not_live" | "refused_by_policy" | "secrets_not_sealed" | "failed";
  readonly message: string;
};

type Started<State> = ResultOf<State, JobRefusal>;

/**
 * Runs jobs to their end, and keeps their output. In the agent, a job is a command that is started once: a one-off command,
 * or a run of a cron job.
 */
export type JobRuns<State> = {
  /** How many run in a project. */
  count(project: ProjectId): number;
  isRunning(files: JobFiles<State>): boolean;
  /** The answer to the start of a job that is being started or runs; `null` if it does not. */
  starting(files: JobFiles<State>): Promise<Started<State>> | null;
  /** Starts a job that was not started before. Never throws. */
  start(files: JobFiles<State>, job: JobStart<State>): Promise<Started<State>>;
  /** Reads from an offset on, and waits for new lines or the end. `null`: it is not known. */
  read(files: JobFiles<State>, offset: number, waitMs: number): Promise<JobReading<State> | null>;
  /** Stops it, and waits a moment for its end. */
  stop(files: JobFiles<State>): Promise<void>;
  /** Ends the jobs of a project, or all (`null`) with the agent: then it starts no more. */
  end(project: ProjectId | null): Promise<void>;
};

/** A job that is being started or runs, or whose end could not be stored. */
type Entry<State> = {
  readonly files: JobFiles<State>;
  readonly interrupt: AbortController;
  reason: StopReason | null;
  /** `null` while it is being started. */
  state: State | null;
  readonly output: CommandOutputWriter;
  /** The answer to its start. */
  started: Promise<Started<State>>;
  finished: Promise<void>;
};

/** How long the answer to a stop waits for the end. */
const STOP_MS = 3_000;
/** Lines that come within this time are read together. */
const GATHER_MS = 150;

export function createJobRuns<State extends JobEnd>(context: AgentContext): JobRuns<State> {
  const entries = new Map<string, Entry<State>>();
  let isEnding = false;

  function interrupt(entry: Entry<State>, reason: StopReason): void {
    entry.reason ??= reason;
    entry.interrupt.abort();
  }

  function start(files: JobFiles<State>, job: JobStart<State>): Promise<Started<State>> {
    if (isEnding) return Promise.resolve(refuseJob("failed", "the agent is ending"));
    const entry: Entry<State> = {
      files,
      interrupt: new AbortController(),
      reason: null,
      state: null,
      output: new CommandOutputWriter(files.output, files.maxOutputBytes),
      started: Promise.resolve(refuseJob("failed", "")),
      finished: Promise.resolve(),
    };
    entries.set(files.output, entry);
    entry.started = begin(entry, job).catch((error: unknown) => refuseJob("failed", messageOf(error)));
    void entry.started.then((answer) => {
      if (!answer.ok) entries.delete(files.output);
    });
    return entry.started;
  }

  async function begin(entry: Entry<State>, job: JobStart<State>): Promise<Started<State>> {
    const { folder } = entry.files;
    const { marker } = job;
    const prepared = await prepare(context, folder, job);
    if (!prepared.ok) return prepared;
    const { release, command, secretValues } = prepared.value;
    const state = job.begin(release.version, timeText());
    // Before the start: a reader of the note knows that the command may have run.
    await entry.files.write(state);
    entry.state = state;
    const running = {
      // An app's instance has this too: otherwise it would count as left running by an activate command.
      command: { ...command, env: { ...command.env, [INSTANCE_MARKER]: marker } },
      ...{ folder, release: release.version, marker },
      limits: unitLimits("command", release.limits ?? {}, context.policy),
      mask: maskSecrets(secretValues, createMask()),
      line: (stream: "stdout" | "stderr", message: string) => entry.output.add({ stream, message }),
      isFull: () => entry.output.isFull,
      signal: entry.interrupt.signal,
    };
    const timer = setTimeout(() => interrupt(entry, "timed_out"), job.timeoutSeconds * 1000);
    entry.finished = runJob(context, running).then(async (end) => {
      clearTimeout(timer);
      await finish(entry, { ...state, ...jobEnd(end, entry.reason, timeText()) });
    });
    return succeed(state);
  }

  async function finish(entry: Entry<State>, state: State): Promise<void> {
    const { files, output } = entry;
    output.flush();
    try {
      await files.write(state);
      entries.delete(files.output);
    } catch (error) {
      // It stays in memory. The next agent process records it as `lost`.
      entry.state = state;
      context.log(`${files.folder.id}: the end of ${files.output} cannot be stored: ${messageOf(error)}`);
    }
    output.flush();
    files.prune();
  }

  function readNow(files: JobFiles<State>, offset: number): JobReading<State> | null {
    // Before the output, so that an end is not reported without the last lines.
    const state = entries.get(files.output)?.state ?? files.read();
    if (state === null) return null;
    const { lines, nextOffset, isEnd } = readCommandOutput(files.output, offset);
    return { state, lines, next_offset: nextOffset, complete: state.finished_at !== null && isEnd };
  }

  const timeText = () => new Date(context.clock.now()).toISOString();

  /** Whether a job is being started or runs. A job whose end could not be stored has ended. */
  const hasNotEnded = ({ state }: Entry<State>) => state === null || state.finished_at === null;

  return {
    count: (project) =>
      [...entries.values()].filter((entry) => entry.files.folder.id === project && hasNotEnded(entry)).length,
    isRunning(files) {
      const entry = entries.get(files.output);
      return entry !== undefined && hasNotEnded(entry);
    },
    starting: (files) => entries.get(files.output)?.started ?? null,
    start,
    async read(files, offset, waitMs) {
      const entry = entries.get(files.output);
      if (entry !== undefined) {
        await entry.started;
        const first = readNow(files, offset);
        if (first === null || first.complete || first.lines.length > 0 || waitMs === 0) return first;
        const enough = new AbortController();
        await Promise.race([entry.output.changed(), entry.finished, pause(waitMs, enough.signal)]);
        await Promise.race([entry.finished, pause(Math.min(GATHER_MS, waitMs), enough.signal)]);
        enough.abort();
      }
      return readNow(files, offset);
    },
    async stop(files) {
      const entry = entries.get(files.output);
      if (entry === undefined) return;
      await entry.started;
      interrupt(entry, "stopped");
      // The caller reads the output to its end anyway.
      await Promise.race([entry.finished, pause(STOP_MS)]);
    },
    async end(project) {
      if (project === null) isEnding = true;
      const ending = [...entries.values()].filter(
        ({ files }) => project === null || files.folder.id === project,
      );
      for (const entry of ending) interrupt(entry, "lost");
      for (const entry of ending) {
        await entry.started;
        await entry.finished;
      }
    },
  };
}

/** Finds what a job runs with: the release, its command line, and the values of secrets to hide in the output. */
async function prepare(
  context: AgentContext,
  folder: ProjectFolder,
  { line, marker, release: findRelease }: Pick<JobStart<unknown>, "line" | "marker" | "release">,
) {
  const version = await findRelease();
  const release: Release | null = version === null ? null : await readRelease(folder, version);
  if (release === null) return refuseJob("not_live", "no release of the project is live on this server");
  // They may be older than the policy.
  const refusal = checkVariables(context.policy, await readReleaseVariables(folder, release.version));
  if (refusal !== null) return refuseJob("refused_by_policy", refusal);
  const opened = await openReleaseVariables(folder, context.sealKey, folder.id, release.version);
  if (!opened.ok) return refuseJob("secrets_not_sealed", opened.message);
  const command = await appCommand(context, folder, release, line, marker, opened.value.activate);
  if (!command.ok) return refuseJob("failed", command.reason);
  return succeed({ release, command: command.value, secretValues: opened.value.secretValues });
}
