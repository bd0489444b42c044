import type { ProjectId } from "#contract/ids.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { type Scope, scopesAllow, scopesAllowAll } from "#contract/scopes.ts";

export const scopeLabels: Record<Scope, string> = {
  "deployments:read": "View deployments and logs",
  "deployments:write": "Deploy, roll back, cancel and delete",
  "deployments:approve": "Approve deployments",
  "commands:run": "Run commands in the live release",
  "projects:read": "View projects and their settings",
  "projects:write": "Create, change and delete projects",
  "servers:read": "View servers",
  "servers:write": "Add, change and remove servers",
  "events:read": "View events",
  "webhooks:read": "View webhooks",
  "webhooks:write": "Create, change and delete webhooks",
  "hooks:read": "View hooks and pushes",
  "hooks:write": "Create, change and delete hooks",
  "freezes:read": "View freezes",
  "freezes:write": "Create, change and delete freezes",
  "audit:read": "View the audit log",
  "tokens:read": "View tokens, without their secrets",
  "tokens:write": "Create, rotate and revoke tokens",
  "account:write": "Change account settings",
};

/** The permissions of a token as text. */
export function scopesText(scopes: readonly Scope[]): string {
  if (scopesAllowAll(scopes)) return "Full access";
  return scopes
    .filter((scope) => !isIncluded(scope, scopes))
    .map((scope) => scopeLabels[scope])
    .join("; ");
}

/** Whether a scope is part of another one: write access includes read access. */
export function isIncluded(scope: Scope, scopes: readonly Scope[]): boolean {
  return scopesAllow(
    scopes.filter((one) => one !== scope),
    scope,
  );
}

/** The names of a token's projects, and the number of those that are not in `projects`. */
export function projectsText(ids: readonly ProjectId[], projects: readonly ProjectRow[]): string {
  const names = projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const others = ids.length - names.length;
  return [...names, ...(others > 0 ? [`${others} that you cannot view`] : [])].join(", ");
}
