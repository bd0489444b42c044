import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { splitLogin } from "#domain/repository-login.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { replaceRepository } from "#worker/db/projects/replace-repository.ts";
import { findVariablesHead } from "#worker/db/variables/find-variables-head.ts";
import type { NewRevision } from "#worker/db/variables/revision-writes.ts";
import { findCurrentVariables } from "#worker/db/variables/variable-reading.ts";
import { sealRepositoryToken } from "#worker/secrets/repository-token.ts";

/**
 * Seals a password that an earlier version stored with the address of a project's repository, and stores the address
 * without it. A token that the project has already is kept instead, and a password for ssh is dropped. Does nothing if
 * the server has no key yet, or if another request changes the project at the same time. Safe to repeat.
 * @returns whether the address was changed
 */
export async function sealStoredLogin(
  rows: AccountRows,
  projectId: ProjectId,
  changed: Pick<NewRevision, "changedAt" | "changedBy" | "eventId">,
): Promise<boolean> {
  const head = await findVariablesHead(rows, projectId);
  const login = head === null ? null : splitLogin(head.repository);
  if (head === null || login === null) return false;
  const change = { from: head.repository, to: login.address };
  if (login.token === null) return await replaceRepository(rows, projectId, change, null);
  if (head.sealKey === null) return false;
  const current = await findCurrentVariables(rows, projectId);
  const hasToken = current.some(({ name }) => name === REPOSITORY_TOKEN);
  // With a token, a long user name is only a name: the address may be what an earlier call has left.
  if (hasToken && login.isUserName) return false;
  if (hasToken) return await replaceRepository(rows, projectId, change, null);
  const { accountId } = rows;
  const next = { accountId, projectId, revision: head.revision + 1, sealKey: head.sealKey };
  const sealed = await sealRepositoryToken(login.token, current, { ...next, ...changed });
  return sealed.ok && (await replaceRepository(rows, projectId, change, sealed.value));
}
