import * as z from "zod/mini";

/** What a token may do. `write` on a resource implies `read` on it. */
export const Scope = z.enum([
  "deployments:read",
  "deployments:write",
  "projects:read",
  "projects:write",
  "servers:read",
  "servers:write",
  "tokens:read",
  "tokens:write",
  "account:write",
]);
export type Scope = z.infer<typeof Scope>;

export const allScopes: readonly Scope[] = Scope.options;

/** Whether there is nothing that a token with some scopes may not do. */
export function scopesAllowAll(granted: readonly Scope[]): boolean {
  return allScopes.every((scope) => scopesAllow(granted, scope));
}

/** Whether a token with some scopes may do what takes `needed`. */
export function scopesAllow(granted: readonly Scope[], needed: Scope): boolean {
  if (granted.includes(needed)) return true;
  const [resource, access] = needed.split(":");
  return access === "read" && granted.some((scope) => scope === `${resource}:write`);
}
