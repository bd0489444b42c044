import * as z from "zod/mini";

import { wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { ServerId } from "#contract/ids.ts";

/** The maximum number of servers of a project. */
export const MAX_SERVERS = 50;

/**
 * How a deployment gets to the servers of a project. No server switches before all are ready.
 *
 * `order`: whether servers switch in batches of `batch`, with `pause_seconds` between them, or all at once. `canary`: how many
 * switch first; null: as many as in each batch.
 * `on_failure`: what happens if a server fails after another one has switched. `revert`: servers that have switched go back.
 * `stop`: they stay, and the others keep what they serve. `continue`: the others switch too, if at least `min` can.
 * `offline`: whether a server that is not connected is waited for, or left out while `min` remain.
 */
export const Rollout = z.strictObject({
  order: z.enum(["rolling", "at_once"]),
  batch: wholeBetween(1, MAX_SERVERS),
  pause_seconds: wholeBetween(0, 3600),
  canary: z.nullable(wholeBetween(1, MAX_SERVERS)),
  on_failure: z.enum(["revert", "stop", "continue"]),
  offline: z.enum(["wait", "skip"]),
  min: wholeFrom(1),
});
export type Rollout = z.infer<typeof Rollout>;

/** The servers of a project that has several, in the order in which they switch. The first one is the project's `server_id`. */
export const Fleet = z.strictObject({ servers: z.array(ServerId), rollout: Rollout });
export type Fleet = z.infer<typeof Fleet>;

/** One server after the other; if one fails, all go back. */
export const defaultRollout: Rollout = {
  order: "rolling",
  batch: 1,
  pause_seconds: 0,
  canary: null,
  on_failure: "revert",
  offline: "wait",
  min: 1,
};

/** How many servers must be there, at most all of them: a run that is ready has no deadline, so it would wait forever. */
export function minimumOf({ servers, rollout }: Fleet): number {
  return Math.max(1, Math.min(rollout.min, servers.length));
}

/** How many servers may switch at a time. */
export function batchOf({ servers, rollout }: Fleet): number {
  return rollout.order === "at_once" ? servers.length : rollout.batch;
}

/** How many servers may switch before the first pause. */
export function firstBatchOf(fleet: Fleet): number {
  return fleet.rollout.canary ?? batchOf(fleet);
}
