import { and, desc, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import * as z from "zod/mini";

import { DeploymentId, type HookId, type ProjectId } from "#contract/ids.ts";
import type { LiveCode } from "#domain/pushes/decide-push.ts";
import type { Push } from "#domain/pushes/push.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isOneOf, limited, qb } from "#worker/db/statements.ts";
import { isRepositoryRead } from "#worker/db/projects/project-repository.ts";
import { pushes } from "#worker/db/push-tables.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import {
  fieldsToDeploy,
  type ProjectToDeploy,
  readProjectToDeploy,
} from "#worker/db/variables/find-project-to-deploy.ts";
import { withServersOfSecrets } from "#worker/db/variables/servers-of-secrets.ts";

/** A project of a repository, with what a decision about a push needs. */
export type PushedProject = ProjectToDeploy & {
  /** Whether the project's server has read the repository. */
  readonly isRead: boolean;
  readonly live: LiveCode;
  /** What the same delivery has started before, by ref. */
  readonly startedBefore: ReadonlyMap<string, StartedBefore>;
};

/**
 * `deploymentId`: the deployment that makes the delivery a duplicate; null: the ref has moved away and back since, so
 * that another push has the same body, if the forge writes no times into it. `count`: how many it has started.
 */
type StartedBefore = { readonly deploymentId: DeploymentId | null; readonly count: number };

/** The pushes to decide about. `bodyHash`: of the delivery, which may have arrived before; null: nothing has. */
export type Arrived = {
  readonly hookId: HookId | null;
  readonly bodyHash: string | null;
  readonly pushes: readonly Push[];
};

/** The ref, and whether it has moved away and back since. */
const Started = z.array(z.tuple([z.string(), DeploymentId, z.number()]));
const later = alias(pushes, "later");
const Commits = z.array(z.string());

/** The projects with a repository. One D1 round trip. @param key of the repository (`repositoryKey`) */
export async function findProjectsOf(
  rows: AccountRows,
  key: string,
  arrived: Arrived,
): Promise<PushedProject[]> {
  return await findPushed(rows, eq(projects.repositoryKey, key), arrived);
}

/**
 * One project. One D1 round trip.
 * @param key of the repository that was pushed to (`repositoryKey`)
 * @returns null if the account has no project with this id, or if it has another repository now. It gets no push of an
 * earlier one, which its server may never have read.
 */
export async function findPushedProject(
  rows: AccountRows,
  id: ProjectId,
  key: string,
  arrived: Arrived,
): Promise<PushedProject | null> {
  const isSame = and(eq(projects.id, id), eq(projects.repositoryKey, key));
  const [found] = await findPushed(rows, isSame, arrived);
  return found ?? null;
}

async function findPushed(
  rows: AccountRows,
  where: SQL | undefined,
  { hookId, bodyHash, pushes: arrived }: Arrived,
): Promise<PushedProject[]> {
  const isLive = and(eq(deployments.projectId, projects.id), sql`${deployments.status} = 'live'`);
  const liveCommit = rows.first<string>(
    deployments.commitSha,
    deployments,
    isLive,
    sql`${deployments.version}`,
  );
  const befores = arrived.flatMap(({ before }) => (before === null ? [] : [before]));
  const wasSkipped = and(
    eq(pushes.projectId, projects.id),
    // As in the partial index.
    sql`${pushes.liveSha} is not null and ${pushes.liveSha} = ${liveCommit}`,
    isOneOf(pushes.after, befores),
  );
  // The plus lets SQLite choose the index of bodies, and below the index of refs.
  const isSame = and(
    sql`+${pushes.projectId} = ${projects.id}`,
    sql`${pushes.hookId} = ${hookId} and ${pushes.bodyHash} = ${bodyHash} and ${pushes.deploymentId} is not null`,
  );
  const fields = {
    ...fieldsToDeploy(rows, "current"),
    liveCommit,
    sameAs: rows.listNamed(sql`${pushes.after}`, pushes, wasSkipped),
    started: rows.listNamed(
      sql`json_array(${pushes.ref}, ${pushes.deploymentId}, ${hasReturned(rows)})`,
      pushes,
      isSame,
    ),
  };
  // The plus keeps SQLite from reading all projects of the account in the order of their ids.
  const found = await rows.select(fields, projects, { where, orderBy: [sql`+${projects.id}`] });
  const read = found.map(({ liveCommit: commit, sameAs, started, ...project }) => ({
    ...readProjectToDeploy(project),
    isRead: isRepositoryRead(project),
    live: { commit, sameAs: new Set(Commits.parse(sameAs)) },
    startedBefore: startedBefore(Started.parse(started)),
  }));
  return await withServersOfSecrets(rows, read, "current");
}

/**
 * Whether the ref of a row has left the row's commit since, and is again where the row's push began. Both, because an old
 * push may be delivered again, or after a newer one.
 */
function hasReturned(rows: AccountRows): SQL<number> {
  const ofRef = and(
    sql`+${later.accountId} = ${rows.accountId}`,
    eq(later.projectId, pushes.projectId),
    eq(later.ref, pushes.ref),
    gt(later.id, pushes.id),
  );
  const leaving = and(ofRef, sql`${later.before} is ${pushes.after}`);
  const hasLeft = exists(qb.select({ id: later.id }).from(later).where(leaving));
  const newest = qb.select({ after: later.after }).from(later).where(ofRef).orderBy(desc(later.id));
  const isBack = sql`${pushes.before} is (${newest.getSQL()}${limited(1)})`;
  return sql<number>`(${hasLeft} and ${isBack})`;
}

function startedBefore(started: z.infer<typeof Started>): Map<string, StartedBefore> {
  const byRef = new Map<string, StartedBefore>();
  for (const [ref, id, hasEnded] of started) {
    const { deploymentId = null, count = 0 } = byRef.get(ref) ?? {};
    byRef.set(ref, { deploymentId: hasEnded === 1 ? deploymentId : id, count: count + 1 });
  }
  return byRef;
}
