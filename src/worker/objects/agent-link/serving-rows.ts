import type { ProjectReport } from "#contract/agent-protocol.ts";
import { servingReport, type ServingRow } from "#worker/db/servers/server-presence.ts";
import type { Serving } from "#worker/objects/agent-link/delivery-queue.ts";
import { sha256 } from "#sealing/bytes.ts";

const DAY_MS = 86_400_000;

/** What D1 keeps of reports. */
export function servingRows(serving: readonly Serving[]): ServingRow[] {
  return serving.map(({ report, checkedAt }) => ({
    projectId: report.project_id,
    report: servingReport(report, checkedAt),
  }));
}

/**
 * A hash of everything that D1 keeps of the reports of a status. It is another one each day (UTC), so that D1 gets all
 * reports once a day: a row may have been changed by hand.
 * @param status `checkedAt` is in Unix milliseconds
 */
export async function statusDigest(status: {
  readonly reports: readonly ProjectReport[];
  readonly checkedAt: number;
}): Promise<string> {
  const kept = status.reports
    .toSorted((one, other) => (one.project_id < other.project_id ? -1 : 1))
    .map((report) => [report.project_id, servingReport(report, 0)]);
  return await sha256(JSON.stringify([Math.floor(status.checkedAt / DAY_MS), kept]));
}
