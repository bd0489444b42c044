import type { CrashHistory } from "#agent/apps/crash-history.ts";
import { endOf } from "#agent/apps/describe-exit.ts";
import { type Desired, readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { cpuPercent, instanceState } from "#agent/apps/instance-state.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import {
  type InstanceReport,
  type InstanceState,
  MAX_LAST_EXIT,
  MAX_REPORTED_INSTANCES,
  type ProcessReport,
} from "#contract/endpoints/processes/schemas.ts";
import { wantedInstances } from "#contract/processes/resolve-processes.ts";

type AppContext = Pick<AgentContext, "apps" | "clock" | "supervisor" | "log">;

/**
 * Reports what runs of a project.
 * @param listed the instances of all projects, if they are known already
 * @returns `undefined` for a project without processes
 */
export async function reportProcesses(
  context: AppContext,
  folder: ProjectFolder,
  listed: readonly SupervisedInstance[] | null,
): Promise<ProcessReport[] | undefined> {
  const desired = readDesired(folder);
  if (desired === null) return undefined;
  const known = knownInstances(context, folder, desired, listed ?? (await listOf(context, folder)));
  return desired.processes.map((process) => ({
    name: process.name,
    command: process.command,
    port: process.port,
    wanted: wantedInstances(process),
    stopped: process.stopped,
    instances: known
      .filter((one) => one.process === process.name)
      .slice(0, MAX_REPORTED_INSTANCES)
      .map((one) => reportInstance(context, folder, desired, one)),
  }));
}

/** An instance of a project, the process that it is of, and its state. */
export type KnownInstance = {
  readonly process: string;
  readonly state: InstanceState;
  readonly supervised: SupervisedInstance;
};

/** The listed instances that belong to a project's processes, sorted by name. */
export function knownInstances(
  { apps }: Pick<AgentContext, "apps">,
  folder: ProjectFolder,
  desired: Desired,
  listed: readonly SupervisedInstance[],
): KnownInstance[] {
  // Together with the notes, because the agent may have started some since.
  const notes = new Map(readNotes(folder).map((note) => [note.name, note]));
  return listed
    .filter(({ project }) => project === folder.id)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((supervised) => {
      const note = notes.get(supervised.name);
      if (note === undefined) return [];
      const state = instanceState(supervised, {
        isDesired: desired.instances.some((wanted) => wanted.name === note.name),
        isClaimed: apps.of(folder.id).claimed.has(note.name),
        isCrashLooping: note.is_crash_looping,
      });
      return [{ process: note.process, state, supervised }];
    });
}

async function listOf(
  { supervisor, log }: AppContext,
  folder: ProjectFolder,
): Promise<readonly SupervisedInstance[]> {
  const listed = await supervisor.list(folder.id);
  if (listed.ok) return listed.value;
  log(`${folder.id}: its instances cannot be reported: ${listed.reason}`);
  return [];
}

function reportInstance(
  { apps, clock }: AppContext,
  folder: ProjectFolder,
  desired: Desired,
  { process, state, supervised }: KnownInstance,
): InstanceReport {
  const { name, startedAt, restarts, memoryBytes, lastExit } = supervised;
  const own = apps.of(folder.id);
  const { percent, sample } = cpuPercent(own.samples.get(name) ?? null, supervised, clock.now());
  if (sample !== null) own.samples.set(name, sample);
  const limitMb = desired.processes.find((one) => one.name === process)?.limits.memory_mb;
  return {
    name,
    state,
    started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
    restarts,
    memory_bytes: memoryBytes,
    cpu_percent: percent,
    last_exit:
      lastExit === null ? null : describeEnd(endOf(lastExit, limitMb ?? null)).slice(0, MAX_LAST_EXIT),
    last_output: lastExit === null ? null : (own.lastOutput.get(name) ?? null),
    ...(state === "crash_looping" ? crashLoop(own.crashes.get(name) ?? null, lastExit) : {}),
  };
}

/** After a start of the agent it is not known how often the instance has ended. */
function crashLoop(
  history: CrashHistory | null,
  lastExit: SupervisedInstance["lastExit"],
): Pick<InstanceReport, "crash_loop"> {
  const loop = history?.loop ?? null;
  if (loop === null || lastExit === null) return {};
  const { code, signal } = lastExit;
  const seconds = Math.ceil(loop.ms / 1000);
  return { crash_loop: { ends: loop.ends, seconds, exit_code: signal === null ? code : null, signal } };
}
