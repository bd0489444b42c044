import { looksLikeError } from "#contract/output-lines.ts";
import type { LogStore } from "#dashboard/data/log-store.ts";

/** The lines so far, and their texts for the search. */
type Log = Pick<LogStore, "lines" | "searchText">;

/**
 * The number of the first line that mentions an error. If there is none and the deployment failed, the first line on
 * stderr; otherwise null.
 */
export function firstError(log: Log, hasFailed: boolean): number | null {
  const progress = progresses.get(log) ?? { looked: 0, error: null, stderr: null };
  for (; progress.looked < log.lines.length && progress.error === null; progress.looked += 1) {
    const line = log.lines[progress.looked];
    if (line === undefined || line.stream === "system") continue;
    if (line.stream === "stderr") progress.stderr ??= line.line;
    if (looksLikeError(log.searchText(progress.looked))) progress.error = line.line;
  }
  progresses.set(log, progress);
  return progress.error ?? (hasFailed ? progress.stderr : null);
}

type Progress = { looked: number; error: number | null; stderr: number | null };

/** How far each log was searched. Logs only grow. */
const progresses = new WeakMap<Log, Progress>();
