import type { ProjectId } from "#contract/ids.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { scopeWords } from "#contract/powers/scope-words.ts";
import { allScopes, type Scope, scopesAllow, scopesAllowAll } from "#contract/scopes.ts";
import { type Growing, textOf } from "#contract/growing.ts";

/** What a scope is for, as a label. */
export function scopeLabel(scope: Growing<Scope>): string {
  return textOf(scopeWords, scope).replace(/^[a-z]/, (first) => first.toUpperCase());
}

/** The permissions of a token as text. */
export function scopesText(scopes: readonly Growing<Scope>[]): string {
  if (scopesAllowAll(scopes)) return "Full access";
  if (allowAllButMembers(scopes) && scopes.every((scope) => !ofMembers(scope)))
    return "Full access, without members";
  return scopes
    .filter((scope) => !isIncluded(scope, scopes))
    .map(scopeLabel)
    .join("; ");
}

const ofMembers = (scope: string) => scope.startsWith("members:");

/** Whether the scopes include every scope of a token that `npm run token` creates: people are invited by people. */
export function allowAllButMembers(granted: readonly Growing<Scope>[]): boolean {
  return allScopes.every((scope) => ofMembers(scope) || scopesAllow(granted, scope));
}

/** Whether a scope is part of another one: write access includes read access. */
export function isIncluded(scope: Growing<Scope>, scopes: readonly Growing<Scope>[]): boolean {
  return scopesAllow(
    scopes.filter((one) => one !== scope),
    scope,
  );
}

/** The names of a token's projects, and the number of its projects that are not in `projects`. */
export function projectsText(ids: readonly ProjectId[], projects: readonly ProjectRow[]): string {
  const names = projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const others = ids.length - names.length;
  return [...names, ...(others > 0 ? [`${others} that you cannot view`] : [])].join(", ");
}
