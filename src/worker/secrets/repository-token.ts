import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { decideChanges, type StoredVariable } from "#domain/variable-changes.ts";
import type { NewRevision } from "#worker/db/variables/revision-writes.ts";
import { noSealKey, type SealFor, sealVariables } from "#worker/secrets/seal-variables.ts";

/**
 * Seals the password of a repository's address.
 * @param current the project's variables
 * @returns the change of the variables that makes the password a secret of the project
 */
export async function sealRepositoryToken(
  token: string,
  current: readonly StoredVariable[],
  change: SealFor & Pick<NewRevision, "changedAt" | "changedBy" | "eventId">,
): Promise<Result<NewRevision, "no_seal_key" | "too_many">> {
  if (change.servers.some(({ sealKey }) => sealKey === null)) return noRepositoryKey(change.servers);
  const set = [{ name: REPOSITORY_TOKEN, value: token, secret: true }];
  const changes = decideChanges(current, { set, remove: [] });
  if (!changes.ok) return changes;
  const sealed = await sealVariables(changes.value.set, change);
  if (!sealed.ok) return noRepositoryKey(change.servers);
  const { projectId, revision, changedAt, changedBy, eventId } = change;
  return succeed({ projectId, revision, changedAt, changedBy, eventId, set: sealed.value, removed: [] });
}

function noRepositoryKey(servers: SealFor["servers"]) {
  return noSealKey(
    "the password in `repository`",
    servers,
    `Or send the address without the password, and set the secret ${REPOSITORY_TOKEN} later.`,
  );
}
