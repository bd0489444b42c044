import type { OutputLine } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import type { EventEffect, PlaceEffect } from "#domain/lane/deployment-events.ts";
import type { Lane } from "#domain/lane/lane.ts";

/**
 * What to do in addition to saving the new lane. Updates of the database and messages to agents are not effects: they
 * follow from the lane itself (its changed deployments, `pendingMessage` and `pendingRemovals`).
 */
export type Effect =
  /** A log line from Gantry itself. `serverId`: it is about one of several servers. */
  | {
      readonly type: "log";
      readonly deploymentId: DeploymentId;
      readonly serverId?: ServerId;
      readonly stage: LogStage;
      readonly message: string;
    }
  /** A change that the events of the account contain. */
  | EventEffect
  | PlaceEffect
  /** Log lines from an agent. `serverId`: of the server, if there are several. */
  | {
      readonly type: "output";
      readonly deploymentId: DeploymentId;
      readonly serverId: ServerId | null;
      readonly lines: readonly OutputLine[];
    }
  /** What a server serves, from its agent's latest report. `isFirst`: it is the first server of the project. */
  | {
      readonly type: "serving";
      readonly serverId: ServerId;
      readonly isFirst: boolean;
      readonly report: ProjectReport;
    }
  /** A run has got its permit. Its agent is told, so that it need not ask often. */
  | { readonly type: "permitted"; readonly runId: RunId; readonly serverId: ServerId }
  /** The preset of the framework that the agent detected. */
  | { readonly type: "detected"; readonly preset: DetectedPreset }
  /** The server has read the repository with this address. */
  | { readonly type: "repository_read"; readonly repository: string }
  /** The log of the deployment is complete. */
  | { readonly type: "ended"; readonly deploymentId: DeploymentId }
  /** The record and the log of the deployment must be deleted. */
  | { readonly type: "removed"; readonly deploymentId: DeploymentId }
  /** All records and logs of the project must be deleted. */
  | { readonly type: "project_removed" };

export type Decision = { readonly lane: Lane; readonly effects: readonly Effect[] };

export type DecisionWith<Value> = Decision & { readonly value: Value };
