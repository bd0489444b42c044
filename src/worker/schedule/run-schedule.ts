import { planLimits } from "#domain/plan-limits.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceEvents } from "#worker/schedule/announce-events.ts";
import { Budget, type RunLimits } from "#worker/schedule/budget.ts";
import { inTime } from "#worker/schedule/in-time.ts";
import type { Clock, Part } from "#worker/schedule/part.ts";
import { removeExpiredRows } from "#worker/schedule/remove-expired-rows.ts";
import { removeOldDeployments } from "#worker/schedule/remove-old-deployments.ts";
import { repairLanes } from "#worker/schedule/repair-lanes.ts";
import { dueRound, findRounds, type Round, saveRound } from "#worker/schedule/rounds.ts";
import { sealAudit } from "#worker/schedule/seal-audit.ts";
import { sweepArtifacts } from "#worker/schedule/sweep-artifacts.ts";
import { sweepLogs } from "#worker/schedule/sweep-logs.ts";

/** A hanging step must end before the next run begins. */
const STEP_MS = 60_000;

/** All parts. Their first steps together fit into the smallest budget, so each run advances every part. */
export const parts: readonly Part[] = [
  sealAudit,
  announceEvents,
  removeExpiredRows,
  repairLanes,
  sweepLogs,
  sweepArtifacts,
  removeOldDeployments,
];

/**
 * The most that one run uses: less than the platform's limits for one invocation. The statements of an object that it
 * calls count for the object's own invocation.
 */
export function limitsOf(plan: string): RunLimits {
  // On the paid plan calls and round trips to D1 may be 1,000 together. The free plan counts them apart.
  const statements = Math.min(500, planLimits(plan).statements - 5);
  return { statements, calls: 450, timeMs: 45_000 };
}

type Run = { readonly env: Env; readonly clock: Clock; readonly budget: Budget };

/**
 * Runs the parts of the schedule whose round is due, until their rounds are complete or the budget is used. The next
 * run continues where this run stopped. The parts run at the same time, so a part that is slow or fails does not stop
 * the others. One statement if no round is due.
 *
 * @throws at the end, if something failed, so that the platform shows the run as failed
 */
export async function runSchedule(
  env: Env,
  clock: Clock,
  { run = parts, limits = limitsOf(env.WORKERS_PLAN) } = {},
): Promise<void> {
  const budget = new Budget(limits, clock);
  const rounds = await findRounds(env.DB);
  const failed = await Promise.all(
    run.map((part) => advance(part, rounds.get(part.name) ?? null, { env, clock, budget })),
  );
  const names = run.filter((_, at) => failed[at]).map(({ name }) => name);
  if (names.length > 0) throw new Error(`parts of the schedule failed: ${names.join(", ")}`);
}

/** @returns whether something failed */
async function advance(part: Part, last: Round | null, { env, clock, budget }: Run): Promise<boolean> {
  let failures = 0;
  try {
    let round = dueRound(part, last, clock.now());
    while (round !== null && budget.spend(part.cost)) {
      const { next: from, since, startedAt } = round;
      const stepped = await inTime(STEP_MS, part.step({ env, clock, from, since, startedAt }));
      failures += stepped.failures;
      round = { ...round, next: stepped.next, failures: round.failures + stepped.failures };
      await saveRound(env.DB, part, round);
      if (round.next === null) break;
    }
  } catch (error) {
    failures += 1;
    logFailure("schedule", { what: part.name }, error);
  }
  return failures > 0;
}
