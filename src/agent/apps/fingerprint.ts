import { createHash } from "node:crypto";

import type { RunVariables } from "#contract/agent-order.ts";
import { initialProcess, instanceFields } from "#contract/endpoints/processes/process-settings.ts";
import { isAccessToken } from "#contract/endpoints/variables/schemas.ts";
import type { ResolvedProcess } from "#contract/processes/resolve-processes.ts";

/**
 * A hash of all settings that an instance is started with: an instance with another fingerprint must be replaced. The
 * number of instances is no part of the hash. A secret counts with its revision and not with its value, because the
 * fingerprint is written to disk.
 */
export function instanceFingerprint(
  release: number,
  { name, limits, ...settings }: ResolvedProcess,
  variables: RunVariables | undefined,
): string {
  const plain = (variables?.plain ?? []).map(({ name: variable, value }) => [variable, value]);
  const secrets = (variables?.secrets ?? [])
    .filter(({ name: secret }) => !isAccessToken(secret))
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
