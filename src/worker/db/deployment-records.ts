import { and, eq, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** A deployment as D1 keeps it, whole. Times are Unix milliseconds. */
export type DeploymentRecord = Omit<typeof deployments.$inferSelect, "accountId">;

/**
 * Writes what a lane holds: all of it or, if one row fails, nothing. Safe to repeat and to do late, because a row only
 * ever replaces one of a lower `revision`.
 *
 * @param records of one project, with no more than one that is `live`
 */
export async function writeDeployments(
  rows: AccountRows,
  projectId: ProjectId,
  records: readonly DeploymentRecord[],
): Promise<void> {
  // The one that leaves `live` goes before the one that takes its place: the index allows one, at every statement.
  const leavingFirst = records.toSorted((a, b) => Number(a.status === "live") - Number(b.status === "live"));
  const newest = Math.max(0, ...records.map((record) => record.createdAt));
  await rows.runTogether([
    ...leavingFirst.map((record) => rows.upsert(deployments, record, deployments.revision)),
    rows.update(
      projects,
      { lastDeployAt: newest },
      and(eq(projects.id, projectId), sql`coalesce(${projects.lastDeployAt}, 0) < ${newest}`),
    ),
  ]);
}

/** Removes a deployment's row; nothing happens where there is none. */
export async function deleteDeploymentRecord(rows: AccountRows, id: DeploymentId): Promise<void> {
  await rows.run(rows.delete(deployments, eq(deployments.id, id)));
}

/**
 * Ends rows that say `building` or `live` of deployments that their lane has let go of, so neither can be true. One
 * that was live is superseded; of any other, how it ended is lost. Safe to repeat: only a row that is still as it was
 * read is changed.
 *
 * @param now Unix milliseconds
 */
export async function endLostDeployments(
  rows: AccountRows,
  lost: readonly DeploymentRecord[],
  now: number,
): Promise<void> {
  await rows.runTogether(
    lost
      .filter(({ status }) => status === "building" || status === "live")
      .map(({ id, revision, status, stage, release, startedAt, finishedAt }) => {
        const message = "how it ended was lost from the database";
        const failure = { code: "internal", message, stage: stage ?? "queued" } as const;
        const wasLive = release !== null;
        return rows.update(
          deployments,
          {
            status: wasLive ? "superseded" : "failed",
            failure: wasLive ? null : failure,
            stage: null,
            waitsForServer: false,
            deadlineAt: null,
            startedAt,
            finishedAt: finishedAt ?? now,
          },
          and(eq(deployments.id, id), eq(deployments.revision, revision), eq(deployments.status, status)),
        );
      }),
  );
}
