import { countConnections } from "#node/tcp-sockets.ts";
import { endsOf, noCrashes, noticeCrashes } from "#agent/apps/crash-history.ts";
import { isCommitted } from "#agent/apps/commit-live.ts";
import { decideUpkeep } from "#agent/apps/decide-upkeep.ts";
import { hasInstances, readDesired, requireDesired } from "#agent/apps/desired.ts";
import { type InstanceNote, readNote, readNotes, writeNote } from "#agent/apps/instance-notes.ts";
import { keepLastOutput } from "#agent/apps/last-output.ts";
import { leadToDesired } from "#agent/apps/lead-traffic.ts";
import { stopUnreachable } from "#agent/apps/stop-unreachable.ts";
import { startDesired } from "#agent/apps/start-desired.ts";
import { endInstance } from "#agent/apps/stop-instance.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

/** An app that does not start must not keep the server out of a load balancer for longer than this. */
const START_MS = 60_000;

/**
 * Keeps the instances of all projects running until the signal is aborted: after a start of the server, of the
 * supervisor or of the agent, without the control plane. Ends replaced instances once they have drained, and instances
 * that nothing names.
 * @param onChange called when an instance begins or ends crash-looping
 * @param onStarted called once, when all instances have been started or could not be, or after a minute
 */
export async function keepRunning(
  context: AgentContext,
  signal: AbortSignal,
  onChange: (project: ProjectId) => void,
  onStarted: () => void,
): Promise<void> {
  const { apps, settings, clock } = context;
  const startedBy = clock.monotonic() + START_MS;
  let hasStarted = false;
  // The time of day, but it does not jump when the clock is set: drains are noted for the agent's next start.
  const offset = clock.now() - clock.monotonic();
  const now = () => clock.monotonic() + offset;
  let problem: string | null = null;
  while (!signal.aborted) {
    const waking = new AbortController();
    apps.wake = () => waking.abort();
    const checked = await checkAll(context, now, signal, onChange);
    if (!hasStarted && (checked.isComplete || clock.monotonic() >= startedBy)) {
      hasStarted = true;
      onStarted();
    }
    // Once, and not every few seconds.
    if (checked.problem !== null && checked.problem !== problem) context.log(checked.problem);
    problem = checked.problem;
    const ms = checked.isDraining ? settings.drainCheckMs : settings.appsCheckMs;
    await pause(ms, AbortSignal.any([signal, waking.signal]));
  }
}

/** `isComplete`: whether the instances of all projects have been checked, and started if they did not run. */
type ProjectCheck = {
  readonly isDraining: boolean;
  readonly isComplete: boolean;
  readonly problem: string | null;
};

/** Checks all projects, but waits only for a while: a start may take minutes, and the other projects must not wait. */
async function checkAll(
  context: AgentContext,
  now: () => number,
  signal: AbortSignal,
  onChange: (project: ProjectId) => void,
): Promise<ProjectCheck> {
  const withApps = (await listProjects(context.home)).filter(({ folder }) => hasInstances(folder));
  // A server without apps needs no supervisor.
  if (withApps.length === 0) return { isDraining: false, isComplete: true, problem: null };
  const listed = await context.supervisor.list(null);
  if (!listed.ok)
    return {
      isDraining: true,
      isComplete: false,
      problem: `the supervisor does not answer: ${listed.reason}`,
    };
  const isBusy = withApps.some(({ id }) => context.apps.of(id).isChecking);
  const checks = withApps.map(async ({ id, folder }) => {
    const own = context.apps.of(id);
    if (own.isChecking) return true;
    own.isChecking = true;
    const supervised = listed.value.filter(({ project }) => project === id);
    const check = checkProject(context, folder, supervised, now, onChange).then(
      (isDraining) => {
        own.unchecked = null;
        return isDraining;
      },
      (error: unknown) => {
        const reason = messageOf(error);
        if (reason !== own.unchecked) context.log(`${id}: its instances could not be checked: ${reason}`);
        own.unchecked = reason;
        return false;
      },
    );
    own.checking = check.then(() => void (own.isChecking = false));
    return check;
  });
  const done = new AbortController();
  const late = pause(context.settings.appsCheckMs, AbortSignal.any([signal, done.signal])).then(() => null);
  const draining = await Promise.race([Promise.all(checks), late]);
  // Only now: the end of `late` must not be the first.
  done.abort();
  return {
    isDraining: draining?.includes(true) ?? true,
    isComplete: !isBusy && draining !== null,
    problem: null,
  };
}

/** @returns whether an instance of the project is draining */
async function checkProject(
  context: AgentContext,
  folder: ProjectFolder,
  supervised: readonly SupervisedInstance[],
  now: () => number,
  onChange: (project: ProjectId) => void,
): Promise<boolean> {
  if (!(await isCommitted(context, folder))) return false;
  const own = context.apps.of(folder.id);
  const desired = requireDesired(folder);
  const notes = readNotes(folder);
  const { claimed, stopping } = own;
  const upkeep = decideUpkeep({ desired, notes, supervised, claimed, stopping }, now());

  for (const note of upkeep.keep) {
    writeNote(folder, { ...note, draining_until: null });
    own.drainingSince.delete(note.name);
  }
  const noted = new Map(notes.map((note) => [note.name, note.draining_until]));
  for (const note of upkeep.drain) if (noted.get(note.name) !== note.draining_until) writeNote(folder, note);
  const drained = upkeep.drain.filter((note) => isDrained(context, folder.id, note));
  const ends = [...upkeep.stop, ...drained.map(({ name }) => name)];
  const withPort = new Set(notes.flatMap(({ name, port }) => (port === null ? [] : [name])));
  // Not waited for: an instance may take as long as it is allowed to, and the other projects must not wait.
  const stopThose = (names: readonly string[]) => {
    for (const name of names) void endInstance(context, folder, name);
  };
  stopThose(ends.filter((name) => desired === null || !withPort.has(name)));
  // A supervisor that was killed together with the agent may have left an instance that no supervisor knows.
  stopThose(upkeep.forget);

  if (await noticeEnds(context, folder, supervised)) onChange(folder.id);
  if (desired === null) return upkeep.drain.length > drained.length;
  // A supervisor that was killed while the agent was not running has left instances, and does not know their commands.
  const isFirst = !own.isIntroduced && claimed.size === 0 && context.supervisor.kind === "process";
  if (claimed.size === 0) own.isIntroduced = true;
  const starts = isFirst ? desired.instances : upkeep.start;
  if (starts.length > 0) await startDesired(context, folder, desired, starts);
  await leadToDesired(context, folder);
  // Only now, because requests may have gone to them until here: after a switch back for which the disk had no space.
  stopThose(ends.filter((name) => withPort.has(name) && isStillUnneeded(context, folder, name)));
  await stopUnreachable(context, folder, supervised);
  return upkeep.drain.length > drained.length;
}

/**
 * Whether no run has claimed an instance since the check began, and no run has added it to the instances that must run.
 */
function isStillUnneeded({ apps }: AgentContext, folder: ProjectFolder, name: string): boolean {
  const isWanted = readDesired(folder)?.instances.some((one) => one.name === name) === true;
  return !isWanted && !apps.of(folder.id).claimed.has(name);
}

/** Whether nobody is connected to an instance that drains. */
function isDrained(
  { settings, apps, clock }: AgentContext,
  project: ProjectId,
  { name, port }: InstanceNote,
): boolean {
  const { drainingSince } = apps.of(project);
  const now = clock.monotonic();
  const since = drainingSince.get(name) ?? now;
  drainingSince.set(name, since);
  return port !== null && now - since >= settings.leastDrainMs && countConnections(port) === 0;
}

/** Notices which instances ended since the last check. @returns whether one began or ended crash-looping */
async function noticeEnds(
  context: AgentContext,
  folder: ProjectFolder,
  supervised: readonly SupervisedInstance[],
): Promise<boolean> {
  const { crashes } = context.apps.of(folder.id);
  const now = context.clock.monotonic();
  let hasChanged = false;
  for (const one of supervised) {
    const before = crashes.get(one.name) ?? null;
    const wasLooping = readNote(folder, one.name)?.is_crash_looping ?? false;
    const begin = { ...noCrashes, ends: endsOf(one), isLooping: wasLooping };
    const after = noticeCrashes(before ?? begin, one, now);
    crashes.set(one.name, after);
    if (after.ends > (before?.ends ?? 0)) await keepLastOutput(context, folder, one.name);
    const note = readNote(folder, one.name);
    if (note === null || note.is_crash_looping === after.isLooping) continue;
    writeNote(folder, { ...note, is_crash_looping: after.isLooping });
    hasChanged = true;
  }
  return hasChanged;
}
