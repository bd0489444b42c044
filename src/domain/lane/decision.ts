import type { OutputLine, ProjectReport } from "#contract/agent-protocol.ts";
import type { DeploymentId, ServerId } from "#contract/ids.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { Preset } from "#contract/endpoints/projects/schemas.ts";
import type { Lane } from "#domain/lane/lane.ts";

/**
 * What a decision wants done besides the new lane. What the database and the agent must learn is no effect: both
 * follow from the lane itself (its changed deployments, `dueMessage` and `dueForgets`).
 */
export type Effect =
  /** A line in Gantry's own words. */
  | {
      readonly type: "log";
      readonly deploymentId: DeploymentId;
      readonly stage: LogStage;
      readonly message: string;
    }
  /** Lines that the agent sent. */
  | { readonly type: "output"; readonly deploymentId: DeploymentId; readonly lines: readonly OutputLine[] }
  /** What the server serves now, as its agent has just said. */
  | { readonly type: "serving"; readonly serverId: ServerId; readonly report: ProjectReport }
  /** What the framework says of the files, as the agent found them. */
  | { readonly type: "detected"; readonly preset: Preset }
  /** No more lines will come. */
  | { readonly type: "ended"; readonly deploymentId: DeploymentId }
  /** Its record and its log must go. */
  | { readonly type: "removed"; readonly deploymentId: DeploymentId }
  /** The records and the logs of the whole project must go. */
  | { readonly type: "project_removed" };

export type Decision = { readonly lane: Lane; readonly effects: readonly Effect[] };

export type DecisionWith<Value> = Decision & { readonly value: Value };
