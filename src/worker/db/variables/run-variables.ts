import { and, eq, gt, isNull, lte, not, or, sql } from "drizzle-orm";

import type { RunVariables, SealedToken } from "#contract/agent-order.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { httpsHost } from "#contract/forge.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";
import { secretFor } from "#domain/sealed-secret.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { variables } from "#worker/db/variable-tables.ts";

const storedSealKey = storedAs(SealKey);

/**
 * The variables of an order, with the secrets as sealed for the server's current key. The repository's token is always
 * the current one: git needs a token that is still valid, also for an earlier deployment. It is left out if the project has
 * moved to a repository on another host since the order was requested. One D1 round trip.
 * @param repository the address that the order has
 */
export async function findRunVariables(
  rows: AccountRows,
  projectId: ProjectId,
  serverId: ServerId,
  { revision, deployed }: DeploymentVariables,
  repository: string,
): Promise<RunVariables> {
  // Each part names the project and `until`, so that SQLite finds the few rows of a long history by index.
  const ofProject = eq(variables.projectId, projectId);
  const isSetBy = lte(variables.revision, revision);
  const isToken = sql`${variables.name} = ${REPOSITORY_TOKEN}`;
  const isCurrent = and(ofProject, isNull(variables.until), deployed ? or(isSetBy, isToken) : isSetBy);
  const isEarlier = and(
    ofProject,
    gt(variables.until, revision),
    isSetBy,
    deployed ? not(isToken) : undefined,
  );
  const fields = {
    name: variables.name,
    revision: variables.revision,
    secret: variables.secret,
    build: variables.build,
    value: variables.value,
    sealed: variables.sealed,
    until: variables.until,
    repository: rows.first<string>(
      projects.repository,
      projects,
      eq(projects.id, projectId),
      sql`${projects.id}`,
    ),
    sealKey: rows.first<string>(servers.sealKey, servers, eq(servers.id, serverId), sql`${servers.id}`),
  };
  const found = await rows.select(fields, variables, {
    where: or(isCurrent, isEarlier),
    orderBy: [sql`${variables.name}`],
  });
  const isForOtherHost = ({ name, until, repository: address }: (typeof found)[number]) => {
    const now = httpsHost(address ?? "");
    const isOther = name === REPOSITORY_TOKEN && until === null && now !== httpsHost(repository);
    // The token of a start is from before its request. So an address that uses no token says nothing about its host.
    return isOther && (deployed || now !== null);
  };
  return {
    account_id: rows.accountId,
    revision,
    deployed,
    plain: found.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
    secrets: found
      .filter((one) => one.secret && !isForOtherHost(one))
      .map(({ name, revision: setBy, build, sealed, sealKey }) => {
        const key = sealKey === null ? null : storedSealKey.parse(parseJson(sealKey));
        return { name, revision: setBy, build, sealed: secretFor(sealed ?? [], key?.fingerprint ?? null) };
      }),
  };
}

/** The project's repository token as sealed for a server; null: none, or the address does not use it. */
export async function findRepositoryToken(
  rows: AccountRows,
  projectId: ProjectId,
  serverId: ServerId,
  of: DeploymentVariables,
  repository: string,
): Promise<SealedToken | null> {
  if (!repository.startsWith("https:")) return null;
  const found = await findRunVariables(rows, projectId, serverId, of, repository);
  const token = found.secrets.find(({ name }) => name === REPOSITORY_TOKEN);
  if (token === undefined || token.sealed === null) return null;
  return { account_id: found.account_id, revision: token.revision, sealed: token.sealed };
}
