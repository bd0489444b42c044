import * as z from "zod/mini";

/**
 * A permission of a token. `write` includes `read` of the same resource. `commands:run` is in no other: its owner can
 * read everything that a project's commands can, also its secrets.
 */
export const Scope = z.enum([
  "deployments:read",
  "deployments:write",
  "commands:run",
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

/** Whether the granted scopes include every scope. */
export function scopesAllowAll(granted: readonly Scope[]): boolean {
  return allScopes.every((scope) => scopesAllow(granted, scope));
}

/** Whether the granted scopes include the needed one. */
export function scopesAllow(granted: readonly Scope[], needed: Scope): boolean {
  if (granted.includes(needed)) return true;
  const [resource, access] = needed.split(":");
  return access === "read" && granted.some((scope) => scope === `${resource}:write`);
}
