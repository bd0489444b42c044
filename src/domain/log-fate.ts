const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Logs written less than this ago are not removed. After this time, all writes and deletions of the log and of its
 * deployment record have completed, including retries of the lane.
 */
const SETTLED_MS = DAY_MS;

/** The objects of a deployment's log in object storage. */
export type StoredLog = {
  /** The single object of a finished log. */
  readonly hasWhole: boolean;
  /** The parts that the single object is built from. */
  readonly hasParts: boolean;
  /** When the newest object was written, in Unix milliseconds. */
  readonly lastWrittenAt: number;
};

/** The state of the log's deployment in the database. */
export type LogRecord =
  | { readonly kind: "no_project" }
  | { readonly kind: "no_deployment" }
  | { readonly kind: "running" }
  /** `finishedAt` in Unix milliseconds; `retentionDays` is the account's setting. */
  | { readonly kind: "ended"; readonly finishedAt: number; readonly retentionDays: number };

/** Whether a project's lane still has the deployment, and log lines of it. */
export type LaneHolding = { readonly deployment: boolean; readonly log: boolean };

/** What to remove of a log. `unlessLaneHolds`: what prevents the removal if the lane has it; null: do not ask the lane. */
export type LogFate =
  | { readonly remove: "nothing" }
  | { readonly remove: "parts" | "all"; readonly unlessLaneHolds: "log" | "log_or_deployment" | null };

const nothing: LogFate = { remove: "nothing" };

/**
 * Decides what to remove of a stored log. A log is removed when its retention time has passed, or when its deployment or
 * project no longer exists. Parts next to the single object are left over from a lane that was evicted before it had
 * recorded them.
 */
export function decideLogFate(log: StoredLog, record: LogRecord, now: number): LogFate {
  if (now - log.lastWrittenAt < SETTLED_MS) return nothing;
  switch (record.kind) {
    case "running":
      return nothing;
    case "no_project":
      // Ids are not reused, and nothing runs in a deleted project, so no more lines can be written.
      return { remove: "all", unlessLaneHolds: null };
    case "no_deployment":
      return { remove: "all", unlessLaneHolds: "log_or_deployment" };
    case "ended":
      if (now - record.finishedAt > record.retentionDays * DAY_MS)
        // A lane that has not yet built the single object still needs the parts.
        return { remove: "all", unlessLaneHolds: log.hasParts ? "log" : null };
      return log.hasWhole && log.hasParts ? { remove: "parts", unlessLaneHolds: "log" } : nothing;
  }
}

/** Whether the lane has data that prevents the removal of the log. */
export function keepsLog(
  holding: LaneHolding,
  unlessLaneHolds: Exclude<LogFate, { remove: "nothing" }>["unlessLaneHolds"],
): boolean {
  if (unlessLaneHolds === null) return false;
  return holding.log || (unlessLaneHolds === "log_or_deployment" && holding.deployment);
}
