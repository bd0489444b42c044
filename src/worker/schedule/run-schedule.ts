import { removeExpired } from "#worker/db/remove-expired.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceEvents } from "#worker/schedule/announce-events.ts";
import { repairLanes } from "#worker/schedule/repair-lanes.ts";
import { sealAudit } from "#worker/schedule/seal-audit.ts";
import { sweepLogs } from "#worker/schedule/sweep-logs.ts";

type Clock = { now(): number };

/**
 * Runs the scheduled jobs, each with a bounded amount of work. Each job can be repeated and interrupted anywhere, and
 * continues in the next run where it stopped. A failed job does not stop the others.
 *
 * @throws after all jobs, if one failed, so that the platform shows the run as failed
 */
export async function runSchedule(env: Env, clock: Clock): Promise<void> {
  const jobs = {
    "seal audit logs": () => sealAudit(env, clock),
    "announce events": () => announceEvents(env, clock),
    "repair lanes": () => repairLanes(env, clock),
    "sweep logs": () => sweepLogs(env, clock),
    "remove expired rows": () => removeExpired(env.DB, clock.now()),
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
  if (failed.length > 0) throw new Error(`scheduled jobs failed: ${failed.join(", ")}`);
}
