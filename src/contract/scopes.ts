import * as z from "zod/mini";

import type { Growing } from "#contract/growing.ts";

/**
 * A permission of a token. `write` includes `read` of the same resource. Three are in no other: `commands:run`, because
 * its owner can read everything that a project's commands can, also its secrets; `deployments:approve`, so that a token
 * that starts deployments cannot approve them; and `deployments:emergency`, so that it cannot pass freezes and
 * approvals.
 */
export const Scope = z.enum([
  "deployments:read",
  "deployments:write",
  "deployments:approve",
  "deployments:emergency",
  "commands:run",
  "projects:read",
  "projects:write",
  "servers:read",
  "servers:write",
  "events:read",
  "webhooks:read",
  "webhooks:write",
  "hooks:read",
  "hooks:write",
  "freezes:read",
  "freezes:write",
  "audit:read",
  "members:read",
  "members:write",
  "tokens:read",
  "tokens:write",
  "account:write",
]);
export type Scope = z.infer<typeof Scope>;

export const allScopes: readonly Scope[] = Scope.options;

/** Whether the granted scopes include every scope. */
export function scopesAllowAll(granted: readonly Growing<Scope>[]): boolean {
  return allScopes.every((scope) => scopesAllow(granted, scope));
}

/** Whether the granted scopes include the needed one. */
export function scopesAllow(granted: readonly Growing<Scope>[], needed: Growing<Scope>): boolean {
  if (granted.includes(needed)) return true;
  const [resource, access] = needed.split(":");
  return access === "read" && granted.some((scope) => scope === `${resource}:write`);
}
