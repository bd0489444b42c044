import { noCrashes } from "#agent/apps/crash-history.ts";
import { isCommitted } from "#agent/apps/commit-live.ts";
import { type Desired, discardNextDesired, hasInstances, readDesired } from "#agent/apps/desired.ts";
import { instanceFingerprint } from "#agent/apps/fingerprint.ts";
import { type InstanceNote, readNotes, writeNote } from "#agent/apps/instance-notes.ts";
import { insideOf, instanceSpec } from "#agent/apps/instance-spec.ts";
import { type InstancePlan, planInstances } from "#agent/apps/plan-instances.ts";
import { endInstance } from "#agent/apps/stop-instance.ts";
import { returnPort, reservePort } from "#agent/apps/reserve-port.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { type PlaceHere, processesHere } from "#agent/workspace/place.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { Release } from "#agent/workspace/releases.ts";
import type { RunOrder, RunVariables } from "#contract/agent-order.ts";
import { MAX_PROCESSES } from "#contract/endpoints/processes/schemas.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** What a run or a correction wants of a project's instances. */
export type RolloutRequest = {
  /** `null` for a correction. */
  readonly runId: string | null;
  /** The version that names the new instances. */
  readonly version: number;
  readonly release: Release;
  readonly place: PlaceHere;
  readonly settings: NonNullable<RunOrder["processes"]>;
  readonly restart: readonly string[];
  readonly drainSeconds: number;
  readonly domain: string;
  readonly healthCheck: RunOrder["health_check"];
  readonly variables: RunVariables | undefined;
  /** The variables with open secrets. */
  readonly environment: Readonly<Record<string, string>>;
};

/** A change of a project's instances that is under way. `before`: what must run if it fails; `null`: nothing. */
export type Rollout = {
  readonly request: RolloutRequest;
  readonly before: Desired | null;
  readonly next: Desired;
  readonly plan: InstancePlan;
  /** The instances that were started so far. */
  readonly started: Map<string, InstanceNote>;
  /** How often each instance had been started again when all new ones with a port were ready; `null` before. */
  restartsWhenReady: ReadonlyMap<string, number> | null;
};

/** The request of an order for a release. */
export function requestOf(
  order: RunOrder,
  release: Release,
  environment: RolloutRequest["environment"],
): RolloutRequest {
  return {
    runId: order.run_id,
    version: order.version,
    release,
    place: order.place ?? null,
    settings: order.processes,
    restart: order.restart,
    drainSeconds: order.drain_seconds,
    domain: order.domain,
    healthCheck: order.health_check,
    variables: order.variables,
    environment,
  };
}

/**
 * Decides which instances to keep, to start and to replace, and claims them: until `endRollout`, nothing else stops them.
 * @returns `null` for a project that has no processes and had none
 */
export async function planRollout(
  context: AgentContext,
  folder: ProjectFolder,
  request: RolloutRequest,
): Promise<ResultOf<Rollout | null, { readonly reason: string }>> {
  const { release, place, settings, version, variables } = request;
  if (!(await isCommitted(context, folder)))
    return { ok: false, reason: "what is live could not be recorded on the disk" };
  // An earlier run may have failed to drop its prepared state, and the verdict of this run must not commit that.
  await discardNextDesired(folder);
  const processes = processesHere(place, release.processes ?? {}, settings);
  if (processes.length > MAX_PROCESSES)
    return { ok: false, reason: `the project has more than ${MAX_PROCESSES} processes` };
  if (processes.length === 0 && !hasInstances(folder)) return succeed(null);
  const listed = await context.supervisor.list(folder.id);
  if (!listed.ok) return listed;

  // From here to the claim in one step, see `instance-notes.ts`.
  const apps = context.apps.of(folder.id);
  const before = readDesired(folder);
  const notes = readNotes(folder);
  const current = new Set(before?.instances.map(({ name }) => name));
  const running = listed.value
    .filter(({ name, state }) => state === "running" && !apps.stopping.has(name))
    .flatMap(({ name }) => notes.filter((note) => note.name === name && !note.is_crash_looping))
    .map(({ name, process, fingerprint }) => ({
      name,
      process,
      fingerprint,
      isDraining: !current.has(name),
    }));
  const taken = new Set([...notes, ...listed.value].map(({ name }) => name));
  const wanted = processes.map((process) => ({
    process,
    fingerprint: instanceFingerprint(release.version, process, variables),
  }));
  const plan = planInstances(wanted, running, version, taken, request.restart);
  const instances = [...plan.kept, ...plan.started].map(({ name, processName }) => ({
    name,
    process: processName,
  }));
  for (const { name } of instances) apps.claimed.add(name);
  const kept = new Set(plan.kept.map(({ name }) => name));
  const next: Desired = {
    run_id: request.runId,
    version,
    release: release.version,
    processes: [...processes],
    instances,
    // All that must run now, also an instance that waits for its restart.
    replaced: [...current].filter((name) => !kept.has(name)),
    drain_seconds: request.drainSeconds,
    settings,
    domain: request.domain,
    health_check: request.healthCheck,
  };
  return succeed({ request, before, next, plan, started: new Map(), restartsWhenReady: null });
}

type Planned = InstancePlan["started"][number];

/** Starts a new instance, after noting it. */
export async function startPlanned(
  context: AgentContext,
  folder: ProjectFolder,
  rollout: Rollout,
  { name, processName, process, fingerprint }: Planned,
): Promise<ResultOf<InstanceNote, { readonly reason: string }>> {
  const { release, environment } = rollout.request;
  let port: number | null = null;
  try {
    port = process.port ? await reservePort(context) : null;
    const note: InstanceNote = {
      ...{ name, process: processName, release: release.version, port, fingerprint },
      ...insideOf(release, process, port),
      ...{ draining_until: null, is_crash_looping: false },
    };
    writeNote(folder, note);
    rollout.started.set(name, note);
    context.apps.of(folder.id).crashes.set(name, noCrashes);
    const spec = await instanceSpec(context, folder, release, process, note, environment);
    if (!spec.ok) return spec;
    const started = await context.supervisor.start(spec.value);
    return started.ok ? succeed(note) : started;
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  } finally {
    returnPort(context, port);
  }
}

/** Stops the instances that a failed rollout has started, and deletes its prepared state. Safe to repeat. */
export async function revertRollout(
  context: AgentContext,
  folder: ProjectFolder,
  rollout: Rollout,
): Promise<void> {
  await discardNextDesired(folder);
  await Promise.all([...rollout.started.keys()].map((name) => endInstance(context, folder, name)));
}

/** Lets the regular check start and stop the project's instances again. */
export function endRollout({ apps }: Pick<AgentContext, "apps">, folder: ProjectFolder): void {
  const own = apps.of(folder.id);
  own.claimed.clear();
  own.isSwitching = false;
  apps.wake();
}
