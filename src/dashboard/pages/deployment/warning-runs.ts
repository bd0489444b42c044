import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ShownLog } from "#dashboard/pages/deployment/log-part.ts";

type Log = Pick<ShownLog, "lines" | "texts">;

/** Warnings in a row, in one stage. `first` is the index of the first line, from 0. */
export type WarningRun = { readonly first: number; readonly stage: LogStage; readonly count: number };

/** The rows of two or more warnings among the first `count` lines. A single warning is not worth a row of its own. */
export function warningRuns(log: Log, count: number): readonly WarningRun[] {
  const progress = progresses.get(log) ?? { looked: 0, runs: [], last: null };
  for (; progress.looked < count; progress.looked += 1) {
    const stage = stageOfWarning(log, progress.looked);
    const { last } = progress;
    if (stage === null) progress.last = null;
    else if (last?.stage !== stage) progress.last = { first: progress.looked, stage, count: 1 };
    else {
      if (last.count > 1) progress.runs.pop();
      progress.last = { ...last, count: last.count + 1 };
      progress.runs.push(progress.last);
    }
  }
  progresses.set(log, progress);
  return progress.runs;
}

function stageOfWarning(log: Log, index: number): LogStage | null {
  const line = log.lines[index];
  return line !== undefined && log.texts.at(index).isWarning ? line.stage : null;
}

type Progress = { looked: number; readonly runs: WarningRun[]; last: WarningRun | null };

/** How far each log was searched. Logs only grow. */
const progresses = new WeakMap<Log, Progress>();
