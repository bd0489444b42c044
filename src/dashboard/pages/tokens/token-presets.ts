import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";
import type { Growing } from "#contract/growing.ts";

/** Permissions that are often chosen together, by their purpose. */
export const tokenPresets: Readonly<Record<string, readonly Scope[]>> = {
  "Deploying from CI": ["deployments:write", "projects:read"],
  "Approving deployments": ["deployments:read", "deployments:approve", "projects:read"],
  "Viewing everything": allScopes.filter((scope) => scope.endsWith(":read")),
  "Full access": allScopes,
};

/** The scopes of a preset; null: there is none with this name. */
export function presetNamed(name: string): readonly Scope[] | null {
  return Object.hasOwn(tokenPresets, name) ? (tokenPresets[name] ?? null) : null;
}

/** The name of the preset that allows the same as the scopes; null: none does. */
export function presetOf(scopes: readonly Growing<Scope>[]): string | null {
  const isSame = (preset: readonly Scope[]) =>
    allScopes.every((scope) => scopesAllow(preset, scope) === scopesAllow(scopes, scope));
  return Object.entries(tokenPresets).find(([, preset]) => isSame(preset))?.[0] ?? null;
}
