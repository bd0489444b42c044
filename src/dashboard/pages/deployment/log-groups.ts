import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ShownLog } from "#dashboard/pages/deployment/log-part.ts";

type Log = Pick<ShownLog, "lines">;

/**
 * Lines of one stage in a row, or of one instruction of a Dockerfile. `first` is the index of the first line, from 0.
 * `instruction`: null if the lines are of none.
 */
export type LogGroup = {
  readonly first: number;
  readonly count: number;
  readonly stage: LogStage;
  readonly instruction: string | null;
};

/** How a build of an image begins an instruction: `STEP 3/9: RUN npm ci`, with several stages after `[1/2]`. */
const INSTRUCTION = /^(?:\[\d+\/\d+\] )?STEP \d+\/\d+: (.+)$/;

/** The groups of the first `count` lines. A log usually has one for each of its stages, and one for each instruction. */
export function logGroups(log: Log, count: number): readonly LogGroup[] {
  const progress = progresses.get(log) ?? { looked: 0, starts: [] };
  for (; progress.looked < count; progress.looked += 1) {
    const line = log.lines[progress.looked];
    const next = line === undefined ? null : startOf(line, progress.starts.at(-1));
    if (next !== null) progress.starts.push({ first: progress.looked, ...next });
  }
  progresses.set(log, progress);
  return progress.starts.map((start, at) => {
    const next = progress.starts[at + 1]?.first ?? count;
    return { ...start, count: next - start.first };
  });
}

type Start = Omit<LogGroup, "count">;

/** The group that begins with a line; null if the line belongs to the group before it. */
function startOf({ stage, stream, message }: LogLine, last: Start | undefined): Omit<Start, "first"> | null {
  const instruction = stage === "build" && stream !== "system" ? INSTRUCTION.exec(message)?.[1] : undefined;
  if (instruction !== undefined) return { stage, instruction };
  if (last === undefined || stage !== last.stage) return { stage, instruction: null };
  // Gantry itself writes nothing during the instructions.
  return last.instruction !== null && stream === "system" ? { stage, instruction: null } : null;
}

type Progress = { looked: number; readonly starts: Start[] };

/** How far each log was grouped. Logs only grow. */
const progresses = new WeakMap<Log, Progress>();
