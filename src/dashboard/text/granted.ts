import type { ProjectId } from "#contract/ids.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { type Scope, scopesAllowAll } from "#contract/scopes.ts";
import { scopeWords } from "#dashboard/text/words.ts";

/** What scopes allow, in plain words. */
export function scopesText(scopes: readonly Scope[]): string {
  if (scopesAllowAll(scopes)) return "Everything";
  // Who may change something may see it: that goes without saying.
  const said = scopes.filter(
    (scope) => !scope.endsWith(":read") || !scopes.some((one) => one === scope.replace(":read", ":write")),
  );
  return said.map((scope) => scopeWords[scope]).join("; ");
}

/** The names of some projects; of those that are not among `projects`, how many there are. */
export function projectsText(ids: readonly ProjectId[], projects: readonly ProjectRow[]): string {
  const names = projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const others = ids.length - names.length;
  return [...names, ...(others > 0 ? [`${others} that you do not see`] : [])].join(", ");
}
