import type { Command } from "#build/process/command.ts";
import type { UnitLimits } from "#agent/isolation/run-isolated.ts";
import { MAX_STOP_SECONDS, type SupervisedSettings } from "#contract/endpoints/processes/process-settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ResultOf } from "#contract/lib/result.ts";

/**
 * What a supervisor needs to start an instance, and to start it again whenever it ends. With the settings that
 * `processUses` gives supervisors.
 */
export type InstanceSpec = SupervisedSettings & {
  readonly project: ProjectId;
  /** Unique in the project, see `InstanceName`. */
  readonly name: string;
  /** The release whose folder the instance may write to. */
  readonly release: number;
  /** With the environment, which contains PORT and may contain secrets. */
  readonly command: Command;
  readonly limits: UnitLimits;
};

/** How an instance ended by itself. `code` is null if a signal ended it. */
export type InstanceExit = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly isOutOfMemory: boolean;
};

/** An instance that a supervisor has started and nobody has stopped. */
export type SupervisedInstance = {
  readonly project: ProjectId;
  readonly name: string;
  /** `restarting`: it ended by itself and waits for its next start. `stopping`: it was told to end. */
  readonly state: "running" | "restarting" | "stopping";
  /** When it was last started, in Unix milliseconds; null while it waits for its restart. */
  readonly startedAt: number | null;
  /** How often it was started again. */
  readonly restarts: number;
  readonly lastExit: InstanceExit | null;
  /** The memory of all its processes; null where it cannot be known. */
  readonly memoryBytes: number | null;
  /** The CPU time of all its processes since its last start, in milliseconds. */
  readonly cpuMs: number | null;
};

/** `isLocal`: only the container itself reaches it, because the app listens at 127.0.0.1. */
export type InsideListener = { readonly port: number; readonly isLocal: boolean };

/** `reason`: a sentence for the log. */
export type SupervisorResult<Value> = ResultOf<Value, { readonly reason: string }>;

/** How long the answer to a stop may take: longer than the longest grace period of an instance. */
export const STOP_ANSWER_MS = (MAX_STOP_SECONDS + 60) * 1000;

/**
 * Runs the instances of apps, and starts them again when they end: after 0.2 s, then twice as long each time up to 60 s,
 * and again after 0.2 s once one has run for 60 s. Its instances do not end with the agent. No function throws, and all
 * are safe to repeat.
 */
export type Supervisor = {
  readonly kind: "systemd" | "process";
  /** Starts an instance, unless one with this name is there. Its output is appended to `instanceLog`. */
  start(spec: InstanceSpec): Promise<SupervisorResult<null>>;
  /** Ends an instance and all of its processes, and forgets it. Done when none of them is left. */
  stop(project: ProjectId, name: string): Promise<SupervisorResult<null>>;
  /** The instances of a project, or with null of all projects. */
  list(project: ProjectId | null): Promise<SupervisorResult<readonly SupervisedInstance[]>>;
  /**
   * Whether a process of the instance itself listens on this TCP port. With `inside`, also whether its app listens on this port in
   * the network of its container.
   */
  listensOn(
    project: ProjectId,
    name: string,
    port: number,
    inside?: number,
  ): Promise<SupervisorResult<boolean>>;
  /** Where the app of an instance listens in the network of its container. */
  listenersInside(project: ProjectId, name: string): Promise<SupervisorResult<readonly InsideListener[]>>;
};
