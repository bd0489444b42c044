const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What was written less than this ago is left alone: whatever writes a log and the record that it belongs to, and
 * whatever removes them, is through by then, retries of lanes included.
 */
const SETTLED_MS = DAY_MS;

/** What object storage holds of a deployment's log. */
export type StoredLog = {
  /** The one object that the log becomes at its end. */
  readonly hasWhole: boolean;
  /** Parts, from which that is made. */
  readonly hasParts: boolean;
  /** Of the object written last, in Unix milliseconds. */
  readonly lastWrittenAt: number;
};

/** What the database says of the deployment that a log belongs to. */
export type LogRecord =
  | { readonly kind: "no_project" }
  | { readonly kind: "no_deployment" }
  | { readonly kind: "running" }
  /** `finishedAt` in Unix milliseconds; `retentionDays` is its account's setting. */
  | { readonly kind: "ended"; readonly finishedAt: number; readonly retentionDays: number };

/** What a project's lane holds of a deployment. */
export type LaneHolding = { readonly deployment: boolean; readonly log: boolean };

/** What to remove of a stored log, and what its project's lane must not hold for that; null: it needs not be asked. */
export type LogFate =
  | { readonly remove: "nothing" }
  | { readonly remove: "parts" | "all"; readonly unlessLaneHolds: "log" | "log_or_deployment" | null };

const nothing: LogFate = { remove: "nothing" };

/**
 * Decides what becomes of a stored log: it goes once its account's retention has passed since the deployment's end, or
 * with what it belongs to. Parts beside the whole are what a lane left that died before it noted them.
 */
export function decideLogFate(log: StoredLog, record: LogRecord, now: number): LogFate {
  if (now - log.lastWrittenAt < SETTLED_MS) return nothing;
  switch (record.kind) {
    case "running":
      return nothing;
    case "no_project":
      // No id is used twice, and nothing runs in a project that is deleted: nobody can write here any more.
      return { remove: "all", unlessLaneHolds: null };
    case "no_deployment":
      return { remove: "all", unlessLaneHolds: "log_or_deployment" };
    case "ended":
      if (now - record.finishedAt > record.retentionDays * DAY_MS)
        // A lane that could not finish the log until now still needs the parts, and finishes it in the end.
        return { remove: "all", unlessLaneHolds: log.hasParts ? "log" : null };
      return log.hasWhole && log.hasParts ? { remove: "parts", unlessLaneHolds: "log" } : nothing;
  }
}

/** Whether the lane holds what keeps a log from being removed. */
export function keepsLog(
  holding: LaneHolding,
  unlessLaneHolds: Exclude<LogFate, { remove: "nothing" }>["unlessLaneHolds"],
): boolean {
  switch (unlessLaneHolds) {
    case null:
      return false;
    case "log":
      return holding.log;
    case "log_or_deployment":
      return holding.log || holding.deployment;
  }
}
