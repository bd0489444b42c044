import { readSealKey } from "#agent/secrets/seal-key.ts";
import type { RunVariables } from "#contract/agent-order.ts";
import { sealSecret } from "#sealing/secret-box.ts";

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
