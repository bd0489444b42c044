import type { AccountId } from "#contract/ids.ts";
import { decideLogFate, keepsLog, type LogFate } from "#domain/log-fate.ts";
import { findLogRecords } from "#worker/db/deployments/find-log-records.ts";
import { findSweepPosition, saveSweepPosition } from "#worker/db/sweep-position.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { FoundLog } from "#worker/logs/found-logs.ts";
import { LogStore } from "#worker/logs/log-store.ts";

/**
 * The limits of one run, far below those of one invocation. A page is one list call of R2, three D1 statements, and one
 * deletion for each account. `questions` is the number of calls to lanes.
 */
const LIMITS = { pages: 5, objects: 1_000, questions: 200 };

const SWEEP = "logs";

type Clock = { now(): number };
type Removal = Exclude<LogFate, { remove: "nothing" }>;

/**
 * Deletes logs whose retention has passed, and logs whose deployment or project no longer exists (`decideLogFate`).
 * Goes through all stored logs, a few thousand in each run, and continues there in the next run. A log that could not be
 * deleted is found again in the next round.
 *
 * @throws if a deletion failed, after all others; or if R2 or D1 does not answer
 */
export async function sweepLogs(env: Env, clock: Clock, limits = LIMITS): Promise<void> {
  const run = { env, clock, store: new LogStore(env.LOGS), questions: limits.questions, failures: 0 };
  let position = await findSweepPosition(env.DB, SWEEP);
  for (let page = 0; page < limits.pages; page += 1) {
    const { logs, next } = await run.store.list(position, limits.objects);
    const asked = await sweepSome(run, logs);
    position = asked === "all" ? next : (lastKeyBefore(logs, asked) ?? position);
    await saveSweepPosition(env.DB, SWEEP, position);
    if (position === null || asked !== "all") break;
  }
  if (run.failures > 0) throw new Error(`${run.failures} removals of logs failed`);
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
    run.env.PROJECT_LANE.getByName(projectId).holds(deploymentId),
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
