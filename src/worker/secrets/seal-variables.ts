import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { SetVariable } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { sealSecret } from "#sealing/secret-box.ts";
import type { NewVariable } from "#worker/db/variables/revision-writes.ts";

/** What secrets are sealed for. `revision`: the revision that will set them. `sealKey` null: the server has none. */
export type SealFor = {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly revision: number;
  readonly sealKey: SealKey | null;
};

/**
 * The variables in the form in which they are stored: seals the secrets that a request contains in clear. Refuses
 * secrets that the client has sealed for other keys only, because the server could not open them.
 */
export async function sealVariables(
  set: readonly SetVariable[],
  sealFor: SealFor,
): Promise<Result<NewVariable[], "no_seal_key" | "secrets_not_sealed">> {
  const { sealKey } = sealFor;
  const secrets = set.filter(({ secret }) => secret).map(({ name }) => name);
  if (sealKey === null && secrets.length > 0) return noSealKey(`the secrets ${secrets.join(", ")}`);
  const isForOthers = ({ sealed }: SetVariable) =>
    sealed !== undefined && !sealed.some(({ fingerprint }) => fingerprint === sealKey?.fingerprint);
  const forOthers = set.filter(isForOthers).map(({ name }) => name);
  if (forOthers.length > 0)
    return refuse(
      "secrets_not_sealed",
      `These secrets are not sealed for the current key of the project's server, ${sealKey?.fingerprint ?? "none"}: ${forOthers.join(", ")}. Read the variables again, and seal for the key in seal_key.`,
    );
  const sealed = await Promise.all(set.map(async (one) => await stored(one, sealFor)));
  const all = sealed.filter((one) => one !== null);
  return all.length === set.length ? succeed(all) : noSealKey("secrets: the key of its agent is not valid");
}

/**
 * The refusal if a server's agent has sent no key to seal for.
 * @param what cannot be sealed
 * @param otherwise another sentence: what else the user can do
 */
export function noSealKey(what: string, otherwise = "") {
  return refuse(
    "no_seal_key",
    `Gantry cannot seal ${what} for the project's server: its agent has not connected yet, or is too old. Enrol or update the agent, and try again when it is connected.${otherwise && ` ${otherwise}`}`,
  );
}

/** @returns null if the server's key is not valid */
async function stored(
  { name, value = "", sealed, secret, build = false }: SetVariable,
  { sealKey, ...place }: SealFor,
): Promise<NewVariable | null> {
  if (!secret) return { name, secret, value };
  if (sealed !== undefined) return { name, secret, build, sealed };
  const { accountId: account_id, projectId: project_id, revision } = place;
  const box =
    sealKey === null
      ? null
      : await sealSecret(sealKey.public_key, { account_id, project_id, name, revision }, value);
  return box === null ? null : { name, secret, build, sealed: [box] };
}
