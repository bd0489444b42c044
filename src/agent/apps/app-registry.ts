import type { ProjectId } from "#contract/ids.ts";
import type { CrashHistory } from "#agent/apps/crash-history.ts";
import type { CpuSample } from "#agent/apps/instance-state.ts";

/** The agent's memory of a project's instances. It is lost when the agent ends, and nothing in it has to survive. */
export type ProjectApps = {
  /** The instances that a run or a correction keeps, starts or stops. Nothing else does meanwhile. */
  readonly claimed: Set<string>;
  /** The instances that are being stopped: they can no longer be kept. */
  readonly stopping: Set<string>;
  /** Whether a run or a correction decides where the slots lead. */
  isSwitching: boolean;
  /** The addresses that the slots were last written with; `null` if this agent has not written them yet. */
  slots: readonly string[] | null;
  /** Ends when the slots are as the last call wanted them: they are written by one at a time. */
  leading: Promise<void>;
  /** Whether the supervisor has got the commands of what runs from this agent. */
  isIntroduced: boolean;
  /**
   * Makes true what a run has prepared, if the disk refused that after the verdict; otherwise `null`. Until then, the
   * files name the earlier live release, so nobody may act on them.
   */
  commit: (() => Promise<void>) | null;
  /** Whether a check of the project is under way, and what ends when it has. */
  isChecking: boolean;
  checking: Promise<void>;
  /** The ends of each instance, by its name. An instance that this agent started begins with none. */
  readonly crashes: Map<string, CrashHistory>;
  /** When an instance was first seen draining, in milliseconds of the monotonic clock. */
  readonly drainingSince: Map<string, number>;
  /** When an instance had started that was seen listening on its port itself, in Unix milliseconds. */
  readonly listening: Map<string, number | null>;
  /** The CPU time of an instance at the last report. */
  readonly samples: Map<string, CpuSample>;
  /** The last lines of an instance before it ended last, masked. */
  readonly lastOutput: Map<string, string>;
  /** The values of the secrets of this agent's deployments: instances that were replaced can still print them. */
  readonly secretValues: Set<string>;
  /** Why the last check of the project failed; `null` if it did not. */
  unchecked: string | null;
  /** Why an instance could not be started at the last check; `null` if none had to or all could. */
  problem: string | null;
};

export type AppRegistry = {
  of(project: ProjectId): ProjectApps;
  forget(project: ProjectId): void;
  /** Ports that were chosen and are not noted yet. */
  readonly ports: Set<number>;
  /** Has the agent check all projects now. Set by the loop that keeps them running. */
  wake: () => void;
};

export function createAppRegistry(): AppRegistry {
  const projects = new Map<ProjectId, ProjectApps>();
  return {
    of(project) {
      const known = projects.get(project) ?? {
        claimed: new Set(),
        stopping: new Set(),
        isSwitching: false,
        slots: null,
        leading: Promise.resolve(),
        isIntroduced: false,
        commit: null,
        isChecking: false,
        checking: Promise.resolve(),
        crashes: new Map(),
        drainingSince: new Map(),
        listening: new Map(),
        samples: new Map(),
        lastOutput: new Map(),
        secretValues: new Set(),
        unchecked: null,
        problem: null,
      };
      projects.set(project, known);
      return known;
    },
    forget: (project) => void projects.delete(project),
    ports: new Set(),
    wake: () => undefined,
  };
}
