import { powerWords, powersOf } from "#contract/powers/scope-powers.ts";
import type { Scope } from "#contract/scopes.ts";

/** What each scope is for, in words that follow "to". They must say its powers: `scopePowers`. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "deployments:read": "view deployments, logs and the output of apps",
  "deployments:write": "deploy, roll back, scale, cancel and delete",
  "deployments:approve": "approve deployments that wait for it",
  "deployments:emergency": "pass freezes and approvals in an emergency",
  "commands:run": "run commands in the live release",
  "projects:read": "view projects, their settings and the values of plain variables",
  "projects:write":
    "create, change and delete projects, with their repository, commands, variables and approvals",
  "servers:read": "view servers",
  "servers:write": "add, change and delete servers, and enrol agents",
  "events:read": "view events, with the line that a failed build or app printed",
  "webhooks:read": "view webhooks and their deliveries, without secrets",
  "webhooks:write": "create, change, test and delete webhooks",
  "hooks:read": "view hooks and pushes",
  "hooks:write": "create, change and delete hooks, which start deployments",
  "freezes:read": "view freezes",
  "freezes:write": "create, change and delete freezes",
  "audit:read": "view the audit log",
  "members:read": "view members and invitations",
  "members:write": "invite, change and remove members",
  "tokens:read": "view tokens, without their secrets, and trust rules",
  "tokens:write": "create, rotate and revoke tokens, and create, change and delete trust rules",
  "account:write": "change how long logs and deployments are kept",
};

/** What these scopes let the owner of a token do that can do harm; none for scopes that only read settings. */
export function powerList(scopes: readonly Scope[]): string[] {
  return powersOf(scopes).map((power) => powerWords[power]);
}
