import { type ResolvedProcess, wantedInstances } from "#contract/processes/resolve-processes.ts";

/** A process that should run, and the fingerprint that its instances must have. */
export type WantedProcess = { readonly process: ResolvedProcess; readonly fingerprint: string };

/** An instance that runs and could be kept. */
export type RunningInstance = {
  readonly name: string;
  readonly process: string;
  readonly fingerprint: string;
  readonly isDraining: boolean;
};

/** `started`: new instances. `replaced`: instances that run, get requests now, and are no longer needed. */
export type InstancePlan = {
  readonly kept: readonly NamedInstance[];
  readonly started: readonly (NamedInstance & WantedProcess)[];
  readonly replaced: readonly string[];
};
type NamedInstance = { readonly name: string; readonly processName: string };

/**
 * Decides which instances stay, start and end. An instance stays if it has the fingerprint, even while it drains: so a
 * rollback within the drain time starts nothing, and scaling touches nothing that runs.
 * @param version names the new instances
 * @param taken names that must not be used again
 * @param restart the processes whose instances are all replaced
 */
export function planInstances(
  wanted: readonly WantedProcess[],
  running: readonly RunningInstance[],
  version: number,
  taken: ReadonlySet<string>,
  restart: readonly string[],
): InstancePlan {
  const kept: NamedInstance[] = [];
  const started: (NamedInstance & WantedProcess)[] = [];
  for (const one of wanted) {
    const { name: processName } = one.process;
    const count = wantedInstances(one.process);
    const usable = running
      .filter(({ process, fingerprint }) => process === processName && fingerprint === one.fingerprint)
      .filter(() => !restart.includes(processName))
      // Instances that get requests now come first, so that scaling down ends as few of them as possible.
      .toSorted((a, b) => Number(a.isDraining) - Number(b.isDraining))
      .slice(0, count);
    for (const { name } of usable) kept.push({ name, processName });
    const names = freeNames(processName, version, taken, count - usable.length);
    for (const name of names) started.push({ name, processName, ...one });
  }
  const stays = new Set(kept.map(({ name }) => name));
  const replaced = running.filter(({ name, isDraining }) => !isDraining && !stays.has(name));
  return { kept, started, replaced: replaced.map(({ name }) => name) };
}

function freeNames(
  process: string,
  version: number,
  taken: ReadonlySet<string>,
  count: number,
): readonly string[] {
  const names: string[] = [];
  for (let n = 0; names.length < count; n += 1) {
    const name = `${process}-${version}-${n}`;
    if (!taken.has(name)) names.push(name);
  }
  return names;
}
