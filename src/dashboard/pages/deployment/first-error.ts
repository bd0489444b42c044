import type { LogStore } from "#dashboard/data/log-store.ts";

/** The lines so far, and each as it is read. */
type Log = Pick<LogStore, "lines" | "searched">;

/** How programs that fail begin to say so. */
const ERROR = /\b(?:error|fatal|failed|panic|exception|traceback)\b|npm err!/;

/**
 * The number of the line where trouble seems to begin: the first that speaks of an error, or of a failed deployment the
 * first on stderr. null: there is none.
 */
export function firstError(log: Log, hasFailed: boolean): number | null {
  const known = remembered.get(log) ?? { looked: 0, error: null, stderr: null };
  for (; known.looked < log.lines.length && known.error === null; known.looked += 1) {
    const line = log.lines[known.looked];
    if (line === undefined || line.stream === "system") continue;
    if (line.stream === "stderr") known.stderr ??= line.line;
    if (ERROR.test(log.searched(known.looked))) known.error = line.line;
  }
  remembered.set(log, known);
  return known.error ?? (hasFailed ? known.stderr : null);
}

type Found = { looked: number; error: number | null; stderr: number | null };

/** How far each log has been looked through: it only grows. */
const remembered = new WeakMap<Log, Found>();
