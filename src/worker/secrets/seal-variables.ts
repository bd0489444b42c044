import type { SetVariable } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { serversWithoutBox, storedSecret } from "#domain/sealed-secret.ts";
import { sealForServers } from "#sealing/secret-box.ts";
import type { NewVariable } from "#worker/db/variables/revision-writes.ts";
import type { ServerToSealFor } from "#worker/db/variables/sealing-servers.ts";

/** What secrets are sealed for. `revision`: the revision that will set them. `servers`: all servers of the project. */
export type SealFor = {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly revision: number;
  readonly servers: readonly ServerToSealFor[];
};

/**
 * The variables in the form in which they are stored: seals the secrets that a request contains in clear. Refuses
 * secrets that the client has sealed without a box for each server, because one of them could not open them.
 */
export async function sealVariables(
  set: readonly SetVariable[],
  sealFor: SealFor,
): Promise<Result<NewVariable[], "no_seal_key" | "secrets_not_sealed">> {
  const { servers } = sealFor;
  const names = set.filter(({ secret }) => secret).map(({ name }) => name);
  const keys = servers.flatMap(({ sealKey }) => (sealKey === null ? [] : [sealKey.public_key]));
  if (names.length > 0 && keys.length < servers.length)
    return noSealKey(`the secrets ${names.join(", ")}`, servers);
  const incomplete = set.filter((one) => missingOf(one, servers).length > 0);
  if (incomplete.length > 0) return refuseIncomplete(incomplete, servers);
  const sealed = await Promise.all(set.map(async (one) => await stored(one, sealFor, keys)));
  const all = sealed.filter((one) => one !== null);
  return all.length === set.length ? succeed(all) : noSealKey(`the secrets ${names.join(", ")}`, servers);
}

/** The servers that a secret of the client has no box for. */
function missingOf({ sealed }: SetVariable, servers: readonly ServerToSealFor[]): ServerToSealFor[] {
  if (sealed === undefined) return [];
  const fingerprints = sealed.map(({ fingerprint }) => fingerprint);
  return serversWithoutBox(fingerprints, servers);
}

function refuseIncomplete(incomplete: readonly SetVariable[], servers: readonly ServerToSealFor[]) {
  const names = incomplete.map(({ name }) => name).join(", ");
  const missing = new Set(incomplete.flatMap((one) => missingOf(one, servers)));
  const keys = [...missing].map(
    ({ serverId, sealKey }) => `${sealKey?.fingerprint ?? "none"} of ${serverId}`,
  );
  return refuse(
    "secrets_not_sealed",
    `These secrets are not sealed for the current key of each server of the project: ${names}. The missing keys are ${keys.join(", ")}. Read the variables again, and seal for all keys in servers.`,
  );
}

/**
 * The refusal if a server's agent has sent no key to seal for.
 * @param what cannot be sealed
 * @param otherwise another sentence: what else the user can do
 */
export function noSealKey(what: string, servers: readonly ServerToSealFor[], otherwise = "") {
  const without = servers.filter(({ sealKey }) => sealKey === null);
  const ids = (without.length === 0 ? servers : without).map(({ serverId }) => serverId);
  const reason =
    servers.length === 1
      ? "for the project's server: its agent has not connected yet, or is too old. Enrol or update the agent, and try again when it is connected."
      : `for all servers of the project: the agents of ${ids.join(", ")} have not connected yet, or are too old. Enrol or update the agents, and try again when they are connected.`;
  return refuse("no_seal_key", `Gantry cannot seal ${what} ${reason}${otherwise && ` ${otherwise}`}`);
}

/** @returns null if a server's key is not valid */
async function stored(
  { name, value = "", sealed, ciphertext, secret, build = false }: SetVariable,
  { accountId: account_id, projectId: project_id, revision }: SealFor,
  keys: readonly string[],
): Promise<NewVariable | null> {
  if (!secret) return { name, secret, value };
  if (sealed !== undefined) return { name, secret, build, sealed: storedSecret(sealed, ciphertext) };
  const made = await sealForServers(keys, { account_id, project_id, name, revision }, value);
  return made === null ? null : { name, secret, build, sealed: storedSecret(made.sealed, made.ciphertext) };
}
