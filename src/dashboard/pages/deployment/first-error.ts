import { EXCERPT_REACH, type ErrorExcerpt, excerptAround } from "#contract/first-error.ts";
import type { ErrorRank } from "#contract/output-lines.ts";
import { indexOfLine, type ShownLog } from "#dashboard/pages/deployment/log-part.ts";

/** The lines so far, with their texts. */
type Log = Pick<ShownLog, "lines" | "texts">;

/**
 * The number of the line that says most clearly what failed, the first of such lines. With `stage`, of this stage, which
 * has failed: if no line says it, its first line on stderr, or its last one. Otherwise null.
 */
export function firstError(log: Log, stage: string | null): number | null {
  const known = progresses.get(log);
  const progress = known?.stage === stage ? known : { ...NOTHING, stage };
  for (; progress.looked < log.lines.length && progress.rank !== 1; progress.looked += 1) {
    const line = log.lines[progress.looked];
    if (line === undefined || line.stream === "system" || (stage !== null && line.stage !== stage)) continue;
    if (line.stream === "stderr") progress.stderr ??= line.line;
    progress.last = line.line;
    const rank = log.texts.at(progress.looked).errorRank;
    if (rank === null || rank >= (progress.rank ?? Infinity)) continue;
    progress.rank = rank;
    progress.line = line.line;
  }
  progresses.set(log, progress);
  if (stage !== null) return progress.line ?? progress.stderr ?? progress.last;
  // Lines such as "not found" mean nothing where nothing has failed.
  return progress.rank === 3 ? null : progress.line;
}

/** The lines of an error in a log, as indexes. @param number of the line that says it */
export function errorExcerpt(log: Log, number: number): ErrorExcerpt {
  const at = indexOfLine(log, number) ?? 0;
  const stage = log.lines[at]?.stage;
  const isPart = (index: number) => {
    const line = log.lines[index];
    return line !== undefined && line.stage === stage && line.stream !== "system";
  };
  let first = at;
  while (at - first < EXCERPT_REACH.before && isPart(first - 1)) first -= 1;
  let end = at + 1;
  while (end - at < EXCERPT_REACH.after && isPart(end)) end += 1;
  const texts = Array.from({ length: end - first }, (_, index) => log.texts.at(first + index).search);
  const found = excerptAround(texts, at - first);
  return { first: first + found.first, at: first + found.at, end: first + found.end };
}

type Progress = {
  readonly stage: string | null;
  looked: number;
  rank: ErrorRank | null;
  line: number | null;
  stderr: number | null;
  last: number | null;
};

const NOTHING = { looked: 0, rank: null, line: null, stderr: null, last: null };

/** How far each log was searched. Logs only grow. */
const progresses = new WeakMap<Log, Progress>();
