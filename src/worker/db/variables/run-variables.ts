import { and, eq, gt, isNull, lte, not, or, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { RunVariables, SealedToken } from "#contract/agent-order.ts";
import { REGISTRY_TOKEN, REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { tokenHost } from "#contract/forge.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";
import { secretFor } from "#domain/sealed-secret.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";
import { variables } from "#worker/db/variable-tables.ts";

/** A server with its seal key; null: its agent has none. */
const Keys = storedAs(z.array(z.strictObject({ id: ServerId, key: z.nullable(SealKey) })));

/**
 * The variables of the orders to some servers, with the secrets as sealed for each server's current key. The tokens of the
 * repository and of registries are always the current ones: they must still be valid, also for an earlier deployment. The
 * token of the repository is left out if the project has moved to a repository on another host since the order was requested. One D1 round trip.
 * @param repository the address that the order has
 */
export async function findRunVariables(
  rows: AccountRows,
  projectId: ProjectId,
  serverIds: readonly ServerId[],
  { revision, deployed }: DeploymentVariables,
  repository: string,
): Promise<ReadonlyMap<ServerId, RunVariables>> {
  // Each part names the project and `until`, so that SQLite finds the few rows of a long history by index.
  const ofProject = eq(variables.projectId, projectId);
  const isSetBy = lte(variables.revision, revision);
  const isToken = sql`${variables.name} in (${REPOSITORY_TOKEN}, ${REGISTRY_TOKEN})`;
  const isCurrent = and(ofProject, isNull(variables.until), deployed ? or(isSetBy, isToken) : isSetBy);
  const isEarlier = and(
    ofProject,
    gt(variables.until, revision),
    isSetBy,
    deployed ? not(isToken) : undefined,
  );
  const key = sql`json_object('id', ${servers.id}, 'key', json(${servers.sealKey}))`;
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
    // SQLite reads it once, because it depends on no variable.
    keys: rows.listNamed(key, servers, isOneOf(servers.id, serverIds)),
  };
  const found = await rows.select(fields, variables, {
    where: or(isCurrent, isEarlier),
    orderBy: [sql`${variables.name}`],
  });
  const isForOtherHost = ({ name, until, repository: address }: (typeof found)[number]) => {
    const now = tokenHost(address ?? "");
    const isOther = name === REPOSITORY_TOKEN && until === null && now !== tokenHost(repository);
    // The token of a start is from before its request. So an address that uses no token says nothing about its host.
    return isOther && (deployed || now !== null);
  };
  const [first] = found;
  const keys = first === undefined ? [] : Keys.parse(first.keys);
  const variablesOf = (serverId: ServerId): RunVariables => ({
    account_id: rows.accountId,
    revision,
    deployed,
    plain: found.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
    secrets: found
      .filter((one) => one.secret && !isForOtherHost(one))
      .map(({ name, revision: setBy, build, sealed }) => {
        const fingerprint = keys.find(({ id }) => id === serverId)?.key?.fingerprint ?? null;
        return { name, revision: setBy, build, sealed: secretFor(sealed ?? [], fingerprint) };
      }),
  });
  return new Map(serverIds.map((serverId) => [serverId, variablesOf(serverId)]));
}

/** The project's repository token as sealed for a server; null: none, or the address does not use it. */
export async function findRepositoryToken(
  rows: AccountRows,
  projectId: ProjectId,
  serverId: ServerId,
  of: DeploymentVariables,
  repository: string,
): Promise<SealedToken | null> {
  if (tokenHost(repository) === null) return null;
  const found = (await findRunVariables(rows, projectId, [serverId], of, repository)).get(serverId);
  const token = found?.secrets.find(({ name }) => name === REPOSITORY_TOKEN);
  if (found === undefined || token === undefined || token.sealed === null) return null;
  return { account_id: found.account_id, revision: token.revision, sealed: token.sealed };
}
