import type { RunOrder } from "#contract/agent-order.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair, type KeyPair } from "#sealing/hpke.ts";
import { fingerprintOf, openSecret } from "#sealing/secret-box.ts";

/** A server's key pair, and the part of it that its agent sends. */
export type ServerKeys = { readonly keys: KeyPair; readonly sealKey: SealKey };

export async function newServerKeys(): Promise<ServerKeys> {
  const keys = await generateKeyPair();
  const fingerprint = await fingerprintOf(keys.publicKey);
  return { keys, sealKey: { public_key: toBase64Url(keys.publicKey), fingerprint } };
}

/** The secrets of an order as the server's agent opens them, by name; null for a secret that the agent cannot open. */
export async function openSecrets(
  order: Pick<RunOrder, "project_id" | "variables">,
  { keys }: ServerKeys,
): Promise<Record<string, string | null>> {
  const { account_id, secrets } = order.variables ?? { account_id: null, secrets: [] };
  const opened = secrets.map(async ({ name, revision, sealed }) => {
    if (account_id === null || sealed === null) return [name, null] as const;
    const place = { account_id, project_id: order.project_id, name, revision };
    return [name, await openSecret(keys, place, sealed)] as const;
  });
  return Object.fromEntries(await Promise.all(opened));
}

/** The plain variables of an order, by name. */
export function plainVariables(order: RunOrder): Record<string, string> {
  return Object.fromEntries((order.variables?.plain ?? []).map(({ name, value }) => [name, value]));
}
