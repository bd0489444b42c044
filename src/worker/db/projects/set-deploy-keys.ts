import { and, eq, isNull, or, sql } from "drizzle-orm";

import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";

/** Records the public deploy keys that a server has made for its projects. Skips projects that are on another server. */
export async function setDeployKeys(
  rows: AccountRows,
  serverId: ServerId,
  keys: readonly { readonly projectId: ProjectId; readonly key: DeployKeySummary }[],
): Promise<void> {
  const given = sql`given.value -> 'key'`;
  // A hello repeats the keys, and writes cost more than reads.
  const isNew = or(isNull(projects.deployKey), sql`${projects.deployKey} <> ${given}`);
  const where = and(
    sql`${projects.id} = given.value ->> 'projectId'`,
    eq(projects.serverId, serverId),
    isNew,
  );
  await rows.runTogether(rows.updateEach(projects, keys, { deployKey: given }, where));
}
