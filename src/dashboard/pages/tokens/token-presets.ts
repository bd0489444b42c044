import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";
import type { Growing } from "#contract/growing.ts";

export type Presets = ReadonlyMap<string, readonly Scope[]>;

/** Permissions that are often chosen together, by their purpose. */
export const tokenPresets: Presets = new Map<string, readonly Scope[]>(
  Object.entries({
    "Deploying from CI": ["deployments:write", "projects:read"],
    "Approving deployments": ["deployments:read", "deployments:approve", "projects:read"],
    "Viewing everything": allScopes.filter((scope) => scope.endsWith(":read")),
    "Full access": allScopes,
  } satisfies Record<string, readonly Scope[]>),
);

/** The name of the preset that allows the same as the scopes; null: none does. */
export function presetOf(presets: Presets, scopes: readonly Growing<Scope>[]): string | null {
  const isSame = (preset: readonly Scope[]) =>
    allScopes.every((scope) => scopesAllow(preset, scope) === scopesAllow(scopes, scope));
  return [...presets].find(([, preset]) => isSame(preset))?.[0] ?? null;
}
