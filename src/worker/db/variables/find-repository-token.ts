import type { SealedToken } from "#contract/agent-order.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findRunVariables } from "#worker/db/variables/find-run-variables.ts";

/** The project's repository token as sealed for a server; null: none, or the address does not use it. */
export async function findRepositoryToken(
  rows: AccountRows,
  projectId: ProjectId,
  serverId: ServerId,
  variables: DeploymentVariables,
  repository: string,
): Promise<SealedToken | null> {
  if (!repository.startsWith("https:")) return null;
  const found = await findRunVariables(rows, projectId, serverId, variables, repository);
  const token = found.secrets.find(({ name }) => name === REPOSITORY_TOKEN);
  if (token === undefined || token.sealed === null) return null;
  return { account_id: found.account_id, revision: token.revision, sealed: token.sealed };
}
