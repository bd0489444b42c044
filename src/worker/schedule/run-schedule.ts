import { removeExpired } from "#worker/db/remove-expired.ts";
import { logFailure } from "#worker/log-failure.ts";
import { repairLanes } from "#worker/schedule/repair-lanes.ts";
import { sweepLogs } from "#worker/schedule/sweep-logs.ts";

type Clock = { now(): number };

/**
 * What is done without being asked, a bounded part of it each time. Each job is safe to repeat and to cut off anywhere,
 * goes on the next time where it stopped, and does not mind that another fails.
 *
 * @throws where a job failed, once all have had their turn: the platform shows the run as failed then
 */
export async function runSchedule(env: Env, clock: Clock): Promise<void> {
  const jobs = {
    "repair lanes": () => repairLanes(env, clock),
    "sweep logs": () => sweepLogs(env, clock),
    "remove what has expired": () => removeExpired(env.DB, clock.now()),
  };
  const failed: string[] = [];
  for (const [what, job] of Object.entries(jobs)) {
    try {
      await job();
    } catch (error) {
      failed.push(what);
      logFailure("schedule", { what }, error);
    }
  }
  if (failed.length > 0) throw new Error(`the schedule could not ${failed.join(", ")}`);
}
