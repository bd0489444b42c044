import type { Desired } from "#agent/apps/desired.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import { MAX_DRAIN_SECONDS } from "#contract/endpoints/processes/schemas.ts";

/** A project's instances at one moment. */
export type InstancesNow = {
  /** `null`: nothing must run. */
  readonly desired: Desired | null;
  readonly notes: readonly InstanceNote[];
  readonly supervised: readonly Pick<SupervisedInstance, "name">[];
  /** The names of instances that a run keeps or starts, and of instances that are being stopped. */
  readonly claimed: ReadonlySet<string>;
  readonly stopping: ReadonlySet<string>;
};

/** The actions, each with its instances. */
export type Upkeep = {
  /** Instances that must run and do not. */
  readonly start: readonly Desired["instances"][number][];
  /** Instances that nothing needs, or whose time to drain is up. */
  readonly stop: readonly string[];
  /** Instances that finish their requests. A new `draining_until` must be noted. */
  readonly drain: readonly (InstanceNote & { readonly draining_until: number })[];
  /** Instances that were draining and are needed again. */
  readonly keep: readonly InstanceNote[];
  /** Noted instances that nothing needs and that the supervisor does not know. */
  readonly forget: readonly string[];
};

/**
 * Compares what runs with what must run. An instance that was replaced drains; any other that nothing names is stopped:
 * a failed run has left this instance, or the agent ended before it could stop the instance.
 */
export function decideUpkeep(
  { desired, notes, supervised, claimed, stopping }: InstancesNow,
  now: number,
): Upkeep {
  const wanted = new Set(desired?.instances.map(({ name }) => name));
  const replaced = new Set(desired?.replaced);
  const runs = new Set(supervised.map(({ name }) => name));
  const isFree = (name: string) => !claimed.has(name) && !stopping.has(name);
  const notWanted = notes.filter(({ name }) => !wanted.has(name) && isFree(name));

  const drain = notWanted
    .filter(({ name }) => runs.has(name))
    .flatMap((note) => {
      const noted = note.draining_until ?? (replaced.has(note.name) ? drainEnd(note, desired, now) : now);
      // It may have been noted before the clock was set back. It is noted again then.
      const until = Math.min(noted, now + MAX_DRAIN_SECONDS * 1000);
      return until > now ? [{ ...note, draining_until: until }] : [];
    });
  const drains = new Set(drain.map(({ name }) => name));
  return {
    start: (desired?.instances ?? []).filter(({ name }) => !runs.has(name) && isFree(name)),
    stop: [...runs].filter((name) => !wanted.has(name) && isFree(name) && !drains.has(name)),
    drain,
    keep: notes.filter(({ name, draining_until }) => wanted.has(name) && draining_until !== null),
    forget: notWanted.filter(({ name }) => !runs.has(name)).map(({ name }) => name),
  };
}

/** Only requests are waited for: an instance without a port has none. */
function drainEnd({ port }: InstanceNote, desired: Desired | null, now: number): number {
  return port === null ? now : now + (desired?.drain_seconds ?? 0) * 1000;
}
