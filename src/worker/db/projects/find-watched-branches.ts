import { and, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { WatchedBranch } from "#contract/agent-watch.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { tokenHost } from "#contract/forge.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import { secretFor, StoredSecret } from "#domain/sealed-secret.ts";
import { watchTimes } from "#domain/pushes/watch-times.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { candidates, newestDeployment } from "#worker/db/deployments/list-deployments.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { isUnread } from "#worker/db/pushes/push-records.ts";
import { deployOnOf, storedSetting } from "#worker/db/projects/settings-column.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { sealKeyOfServer } from "#worker/db/variables/sealing-servers.ts";
import { variables } from "#worker/db/variable-tables.ts";

const storedSealKey = storedAs(SealKey);

/** The project's current repository token, or none. */
const Tokens = z.array(z.strictObject({ revision: z.int(), sealed: StoredSecret }));

/** `unread`: the projects with pushes that wait until the server has read the repository. */
export type Watched = { readonly branches: readonly WatchedBranch[]; readonly unread: readonly ProjectId[] };

/**
 * The branches that a server's agent looks at: of its projects that ask for it, and of projects whose repository has a
 * hook. A project that was never deployed is not among them. One D1 round trip.
 */
export async function findWatchedBranches(rows: AccountRows, serverId: ServerId): Promise<Watched> {
  const ofRepository = rows.count(hooks, eq(hooks.repositoryKey, projects.repositoryKey));
  const newest = newestDeployment(rows, sql`${projects.id}`, {
    place: eq(candidates.branch, projects.branch),
    others: and(sql`${candidates.kind} = 'deploy'`, isNotNull(candidates.commitSha)),
  });
  const isToken = and(
    eq(variables.projectId, projects.id),
    isNull(variables.until),
    eq(variables.name, REPOSITORY_TOKEN),
    sql`${variables.secret} = 1`,
  );
  const token = sql`json_object('revision', ${variables.revision}, 'sealed', json(${variables.sealed}))`;
  const fields = {
    id: projects.id,
    name: projects.name,
    repository: projects.repository,
    branch: projects.branch,
    deployOn: sql<unknown>`${storedSetting("deploy_on")}`,
    hooks: ofRepository,
    known: rows.first<string>(deployments.commitSha, deployments, eq(deployments.id, newest), sql`1`),
    tokens: rows.listNamed(token, variables, isToken),
    sealKey: sealKeyOfServer(rows),
    unread: rows.firstNamed<string>(pushes.id, pushes, isUnread(rows, projects.id), sql`1`),
  };
  const mayBeWatched = or(sql`${projects.settings} ->> '$.deploy_on.poll' = 1`, sql`${ofRepository} > 0`);
  const found = await rows.select(fields, projects, {
    where: and(eq(projects.serverId, serverId), mayBeWatched),
  });
  const unread = found.flatMap(({ id, unread: push }) => (push === null ? [] : [id]));
  const branches = found.flatMap(({ id, name, repository, branch, deployOn, known, ...others }) => {
    const times = watchTimes({ deployOn: deployOnOf(deployOn), branch }, others.hooks > 0);
    if (times === null || known === null) return [];
    const key = others.sealKey === null ? null : storedSealKey.parse(parseJson(others.sealKey));
    const [current] = Tokens.parse(others.tokens);
    const sealed = secretFor(current?.sealed ?? [], key?.fingerprint ?? null);
    const isForHost = tokenHost(repository) !== null && current !== undefined && sealed !== null;
    return [
      {
        ...{ project_id: id, project_name: name, repository, branch, known_sha: known },
        ...(isForHost ? { token: { account_id: rows.accountId, revision: current.revision, sealed } } : {}),
        ...{ every_seconds: times.everySeconds, settle_seconds: times.settleSeconds },
      },
    ];
  });
  return { branches, unread };
}
