import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { decideChanges, type StoredVariable } from "#domain/variable-changes.ts";
import type { NewVariable } from "#worker/db/variables/revision-writes.ts";
import { noSealKey, type SealFor, sealVariables } from "#worker/secrets/seal-variables.ts";

/** Seals the password of a repository's address as a secret of the project. @param current the project's variables */
export async function sealRepositoryToken(
  token: string,
  current: readonly StoredVariable[],
  sealFor: SealFor,
): Promise<Result<NewVariable[], "no_seal_key" | "too_many">> {
  if (sealFor.sealKey === null) return noRepositoryKey();
  const set = [{ name: REPOSITORY_TOKEN, value: token, secret: true }];
  const changes = decideChanges(current, { set, remove: [] });
  if (!changes.ok) return changes;
  const sealed = await sealVariables(changes.value.set, sealFor);
  return sealed.ok ? succeed(sealed.value) : noRepositoryKey();
}

function noRepositoryKey() {
  return noSealKey(
    "the password in `repository`",
    `Or send the address without the password, and set the secret ${REPOSITORY_TOKEN} later.`,
  );
}
