import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ShownLog } from "#dashboard/pages/deployment/log-part.ts";

type Log = Pick<ShownLog, "lines">;

/** Lines of one stage in a row. `first` is the index of the first line, from 0. */
export type LogGroup = {
  readonly first: number;
  readonly count: number;
  readonly stage: LogStage;
};

/** The groups of the first `count` lines. A log usually has one for each of its stages. */
export function logGroups(log: Log, count: number): readonly LogGroup[] {
  const progress = progresses.get(log) ?? { looked: 0, starts: [] };
  for (; progress.looked < count; progress.looked += 1) {
    const stage = log.lines[progress.looked]?.stage;
    const last = progress.starts.at(-1);
    if (stage !== undefined && stage !== last?.stage) progress.starts.push({ first: progress.looked, stage });
  }
  progresses.set(log, progress);
  return progress.starts.map(({ first, stage }, at) => {
    const next = progress.starts[at + 1]?.first ?? count;
    return { first, stage, count: next - first };
  });
}

type Progress = { looked: number; readonly starts: { readonly first: number; readonly stage: LogStage }[] };

/** How far each log was grouped. Logs only grow. */
const progresses = new WeakMap<Log, Progress>();
