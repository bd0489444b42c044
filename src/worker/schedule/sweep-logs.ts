import type { AccountId } from "#contract/ids.ts";
import { decideLogFate, keepsLog, type LogFate } from "#domain/log-fate.ts";
import { findLogRecords } from "#worker/db/schedule/due-rows.ts";
import { logFailure } from "#worker/log-failure.ts";
import { LOGS_PREFIX } from "#worker/logs/log-keys.ts";
import type { FoundLog } from "#worker/logs/found-logs.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import { inTime } from "#worker/schedule/in-time.ts";
import type { Clock, Part } from "#worker/schedule/part.ts";

/** The objects that one step lists, at most R2's 1,000, and the calls to lanes that it makes. */
const LIMITS = { objects: 1_000, questions: 10 };

/** How long a lane may take to answer which deployments it has: a step asks the lanes in sequence. */
const QUESTION_MS = 2_000;

type Removal = Exclude<LogFate, { remove: "nothing" }>;

/**
 * Deletes logs whose retention has passed, and logs whose deployment or project no longer exists (`decideLogFate`).
 * Goes through all stored logs. A log that could not be deleted is found again in the next round.
 */
export const sweepLogs = logSweep(LIMITS);

/** As `sweepLogs`, with other limits of a step. */
export function logSweep({ objects, questions }: typeof LIMITS): Part {
  return {
    name: "sweep logs",
    // So that each log is seen within a day, although a round takes some hours where there are millions.
    everyMs: 20 * 60 * 60 * 1000,
    // Statements: two reads and the position. Calls: the list, the lanes, and a deletion for each of the few accounts.
    cost: { statements: 3, calls: questions + 10 },
    async step({ env, clock, from }) {
      const run = { env, clock, store: new LogStore(env.LOGS), questions, failures: 0 };
      const { logs, next } = await run.store.list(from, objects);
      const asked = await sweepSome(run, logs);
      return {
        next: asked === "all" ? next : (lastKeyBefore(logs, asked) ?? from ?? LOGS_PREFIX),
        failures: run.failures,
      };
    },
  };
}

type Run = {
  readonly env: Env;
  readonly clock: Clock;
  readonly store: LogStore;
  /** How many calls to lanes are left. */
  questions: number;
  failures: number;
};

/** @returns how many logs were handled before the calls to lanes were used up */
async function sweepSome(run: Run, logs: readonly FoundLog[]): Promise<number | "all"> {
  if (logs.length === 0) return "all";
  const records = await findLogRecords(
    run.env.DB,
    logs.map(({ owner }) => owner),
  );
  const doomed = new Map<AccountId, string[]>();
  let done: number | "all" = "all";
  for (const [at, log] of logs.entries()) {
    const record = records[at];
    const fate = record === undefined ? null : decideLogFate(log, record, run.clock.now());
    if (fate === null || fate.remove === "nothing") continue;
    if (fate.unlessLaneHolds !== null && run.questions === 0) {
      done = at;
      break;
    }
    if (await isKept(run, log, fate)) continue;
    const keys = fate.remove === "all" ? [...log.wholeKeys, ...log.partKeys] : log.partKeys;
    const { accountId } = log.owner;
    doomed.set(accountId, [...(doomed.get(accountId) ?? []), ...keys]);
  }
  for (const [accountId, keys] of doomed)
    await attempt(run, { account_id: accountId }, () => run.store.deleteObjects(keys));
  return done;
}

/** Whether the project's lane still needs the log. True if the lane does not answer. */
async function isKept(run: Run, { owner }: FoundLog, { unlessLaneHolds }: Removal): Promise<boolean> {
  if (unlessLaneHolds === null) return false;
  run.questions -= 1;
  const { projectId, deploymentId } = owner;
  const holding = await attempt(run, { deployment_id: deploymentId }, () =>
    inTime(QUESTION_MS, run.env.PROJECT_LANE.getByName(projectId).holds(deploymentId)),
  );
  return holding === null || keepsLog(holding, unlessLaneHolds);
}

/** @returns null if the job failed */
async function attempt<Value>(
  run: Run,
  about: Readonly<Record<string, string>>,
  job: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await job();
  } catch (error) {
    run.failures += 1;
    logFailure("schedule", { what: "sweep logs", ...about }, error);
    return null;
  }
}

function lastKeyBefore(logs: readonly FoundLog[], at: number): string | null {
  const before = logs[at - 1];
  return before === undefined ? null : (before.partKeys.at(-1) ?? before.wholeKeys.at(-1) ?? null);
}
