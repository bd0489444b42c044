import { noCrashes } from "#agent/apps/crash-history.ts";
import { type Desired, readDesired } from "#agent/apps/desired.ts";
import { instanceFingerprint } from "#agent/apps/fingerprint.ts";
import { type InstanceNote, readNote, writeNote } from "#agent/apps/instance-notes.ts";
import { insideOf, instanceSpec } from "#agent/apps/instance-spec.ts";
import { returnPort, reservePort } from "#agent/apps/reserve-port.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { checkProcesses } from "#agent/policy/check-commands.ts";
import { checkVariables } from "#agent/policy/check-variables.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import { readReleaseVariables } from "#agent/secrets/release-variables.ts";
import { linkTarget } from "#agent/workspace/current-link.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/**
 * Starts instances that must run and do not: the server or the supervisor was restarted. It needs no control plane.
 * They keep their ports if these are free. Running instances are only made known to the supervisor. Never throws: an
 * instance that cannot be started is tried again at the next check.
 */
export async function startDesired(
  context: AgentContext,
  folder: ProjectFolder,
  desired: Desired,
  wanted: readonly Desired["instances"][number][],
): Promise<void> {
  const own = context.apps.of(folder.id);
  const problem = await start(context, folder, desired, wanted).catch(messageOf);
  if (problem !== null && problem !== own.problem)
    context.log(`${folder.id}: instances that must run cannot be started: ${problem}`);
  own.problem = problem;
}

/** @returns why one could not be started; `null` if all were */
async function start(
  context: AgentContext,
  folder: ProjectFolder,
  desired: Desired,
  wanted: readonly Desired["instances"][number][],
): Promise<string | null> {
  const { sealKey, supervisor, apps } = context;
  const release = await readRelease(folder, desired.release);
  if (release === null) return `${linkTarget(desired.release)} is not on this server`;
  const opened = await openReleaseVariables(folder, sealKey, folder.id, desired.release);
  if (!opened.ok) return opened.message;
  const variables = (await readReleaseVariables(folder, desired.release)) ?? undefined;
  const refusal =
    checkProcesses(context.policy, desired.processes, release.processes ?? {}) ??
    checkVariables(context.policy, variables);
  if (refusal !== null) return refusal;
  // The list that led here may be older than their start.
  const listed = await supervisor.list(folder.id);
  if (!listed.ok) return listed.reason;
  const runs = new Set(listed.value.map(({ name }) => name));
  let problem: string | null = null;
  for (const { name, process: processName } of wanted) {
    const process = desired.processes.find((one) => one.name === processName);
    // A run or a removal may have changed it meanwhile.
    const isWanted = readDesired(folder)?.instances.some((one) => one.name === name) === true;
    if (process === undefined || !isWanted || apps.of(folder.id).claimed.has(name)) continue;
    const before = readNote(folder, name);
    const isRunning = runs.has(name);
    if (isRunning && before === null) continue;
    const notedPort = before?.port ?? null;
    const port = !process.port || isRunning ? notedPort : await reservePort(context, notedPort);
    try {
      const note: InstanceNote = {
        ...{ name, process: processName, release: release.version, port },
        ...insideOf(release, process, port),
        fingerprint: before?.fingerprint ?? instanceFingerprint(release.version, process, variables),
        ...{ draining_until: null, is_crash_looping: before?.is_crash_looping ?? false },
      };
      if (!isRunning) {
        writeNote(folder, note);
        apps.of(folder.id).crashes.set(name, { ...noCrashes, isLooping: note.is_crash_looping });
      }
      const spec = await instanceSpec(context, folder, release, process, note, opened.value.activate);
      const started = spec.ok ? await supervisor.start(spec.value) : spec;
      if (!started.ok) problem = started.reason;
      else if (!isRunning) context.log(`${folder.id}: started ${name}, which must run`);
    } finally {
      if (!isRunning) returnPort(context, port);
    }
  }
  return problem;
}
