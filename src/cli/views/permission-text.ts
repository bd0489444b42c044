import type { Growing } from "#contract/growing.ts";
import type { ProjectId } from "#contract/ids.ts";
import { Role, roleScopes } from "#contract/roles.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

type Permission = {
  readonly scopes: readonly Growing<Scope>[];
  readonly project_ids: readonly ProjectId[] | null;
};

/** What a caller may do in some projects: a role and the scopes that it does not include, or only scopes. */
export function permissionText(
  { scopes, project_ids: ids }: Permission,
  nameOf: (id: ProjectId) => string,
): string {
  const role = Role.options.findLast((one) => roleScopes[one].every((scope) => scopesAllow(scopes, scope)));
  const extra = role === undefined ? scopes : scopes.filter((scope) => !scopesAllow(roleScopes[role], scope));
  const allowed = [...(role === undefined ? [] : [role]), ...extra].join(", ");
  return `${allowed} in ${ids === null ? "all projects" : ids.map(nameOf).join(", ")}`;
}
