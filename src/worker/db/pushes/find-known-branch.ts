import { and, desc, eq, sql } from "drizzle-orm";

import type { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import type { HookId, ProjectId, ServerId } from "#contract/ids.ts";
import type { KnownBranch } from "#domain/pushes/is-known-tip.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployOnOf, storedSetting } from "#worker/db/projects/settings-column.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

/** Older deployments are not looked at: a branch that goes back to a commit of theirs is deployed again. */
const LOOKED_AT = 100;

/** The settings of a project that say whether its branch is watched, and what is known of the branch. */
export type BranchReading = Pick<typeof projects.$inferSelect, "repository" | "branch"> & {
  readonly deployOn: DeployOn;
  readonly serverName: string;
  readonly hookId: HookId | null;
  readonly known: KnownBranch;
};

/** A commit that a server has found in a branch of a project. */
type FoundCommit = {
  readonly id: ProjectId;
  readonly serverId: ServerId;
  readonly ref: string;
  readonly sha: string;
};

/** One D1 round trip. @returns null if the account has no such project on this server */
export async function findKnownBranch(
  rows: AccountRows,
  { id, serverId, ref, sha }: FoundCommit,
): Promise<BranchReading | null> {
  const isPush = and(eq(pushes.projectId, id), eq(pushes.ref, ref), sql`${pushes.decision} <> 'refused'`);
  const receivedAt = rows.first<number>(pushes.receivedAt, pushes, isPush, desc(pushes.id));
  const { version, kind, status, commitSha, createdAt } = deployments;
  const ofProject = eq(deployments.projectId, id);
  const isRecent = sql`${version} > ${rows.first(version, deployments, ofProject, desc(version))} - ${LOOKED_AT}`;
  const ofBranch = and(ofProject, isRecent, eq(deployments.branch, projects.branch), sql`${kind} = 'deploy'`);
  const isFetched = and(ofBranch, eq(commitSha, sha), sql`${createdAt} >= coalesce(${receivedAt}, 0)`);
  const isAwaited = and(ofBranch, sql`${status} = 'building' and ${commitSha} is null`);
  const hook = eq(hooks.repositoryKey, projects.repositoryKey);
  const fields = {
    repository: projects.repository,
    branch: projects.branch,
    deployOn: sql<unknown>`${storedSetting("deploy_on")}`,
    serverName: rows.first<string>(servers.name, servers, eq(servers.id, serverId), sql`${servers.id}`),
    hookId: rows.first<HookId>(hooks.id, hooks, hook, sql`${hooks.id}`),
    pushed: rows.first<string>(pushes.after, pushes, isPush, desc(pushes.id)),
    receivedAt,
    fetched: rows.count(deployments, isFetched),
    awaited: rows.count(deployments, isAwaited),
  };
  const where = and(eq(projects.id, id), eq(projects.serverId, serverId));
  const [found] = await rows.select(fields, projects, { where, limit: 1 });
  if (found === undefined) return null;
  const { serverName, pushed, receivedAt: at, fetched, awaited, ...settings } = found;
  const push = at === null ? null : { sha: pushed, receivedAt: at };
  const known = { push, isFetched: fetched > 0, isAwaited: awaited > 0 };
  const deployOn = deployOnOf(settings.deployOn);
  return { ...settings, deployOn, serverName: serverName ?? serverId, known };
}
