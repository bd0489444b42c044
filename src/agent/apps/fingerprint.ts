import { createHash } from "node:crypto";

import type { RunVariables } from "#contract/agent-order.ts";
import { initialProcess, instanceFields } from "#contract/endpoints/processes/process-settings.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { ResolvedProcess } from "#contract/processes/resolve-processes.ts";

/**
 * Stands for everything that makes an instance what it is: an instance with another fingerprint must be replaced. The
 * number of instances is no part of it. Of a secret it has the revision, and not the value, because it is written to disk.
 */
export function fingerprintOf(
  release: number,
  { name, limits, ...settings }: ResolvedProcess,
  variables: RunVariables | undefined,
): string {
  const plain = (variables?.plain ?? []).map(({ name: variable, value }) => [variable, value]);
  const secrets = (variables?.secrets ?? [])
    .filter(({ name: secret }) => secret !== REPOSITORY_TOKEN)
    .map(({ name: secret, revision }) => [secret, revision]);
  const values = new Map<string, unknown>(Object.entries({ ...settings, ...limits }));
  const initial = new Map<string, unknown>(Object.entries(initialProcess));
  // Without what nobody has set, so that a new setting replaces no instance.
  const set = instanceFields
    .map((field) => [field, values.get(field)])
    .filter(([field, value]) => value !== undefined && value !== initial.get(String(field)));
  const parts = [release, name, set, byName(plain), byName(secrets)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function byName<Entry extends readonly unknown[]>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
