import { readSealKey } from "#agent/secrets/seal-key.ts";
import type { RunVariables } from "#contract/agent-order.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair } from "#sealing/hpke.ts";
import { sealForServers, sealSecret } from "#sealing/secret-box.ts";

import { ids, type AgentWorld } from "./harness.ts";

const account_id = ids.account();

export type Secret = { readonly value: string; readonly revision?: number; readonly build?: boolean };

/** The variables of an order for the world's project, with secrets that are sealed for the world's server. */
export async function sealVariables(
  world: AgentWorld,
  plain: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, Secret>> = {},
  change: Partial<RunVariables> = {},
): Promise<RunVariables> {
  const key = await readSealKey(world.home);
  const sealed = Object.entries(secrets).map(async ([name, { value, revision = 1, build = false }]) => {
    const place = { account_id, project_id: world.projectId, name, revision };
    return { name, revision, build, sealed: await sealSecret(key?.shown.public_key ?? "", place, value) };
  });
  return {
    ...{ account_id, revision: 1, deployed: false },
    plain: Object.entries(plain).map(([name, value]) => ({ name, value })),
    secrets: await Promise.all(sealed),
    ...change,
  };
}

/** As `sealVariables`, of a project with a second server: each secret has a ciphertext, and a box with its key. */
export async function sealForTwo(
  world: AgentWorld,
  secrets: Readonly<Record<string, Secret>>,
  change: Partial<RunVariables> = {},
): Promise<RunVariables> {
  const own = await readSealKey(world.home);
  const other = await generateKeyPair();
  const keys = [toBase64Url(other.publicKey), own?.shown.public_key ?? ""];
  const sealed = Object.entries(secrets).map(async ([name, { value, revision = 1, build = false }]) => {
    const place = { account_id, project_id: world.projectId, name, revision };
    const made = await sealForServers(keys, place, value);
    const box = made?.sealed.find(({ fingerprint }) => fingerprint === own?.shown.fingerprint);
    if (made === null || box === undefined) throw new Error("the agent has no key");
    const { ciphertext } = made;
    return { name, revision, build, sealed: { ...box, ...(ciphertext === undefined ? {} : { ciphertext }) } };
  });
  return {
    ...{ account_id, revision: 1, deployed: false, plain: [] },
    secrets: await Promise.all(sealed),
    ...change,
  };
}
