import { reachOf, permissionsIn } from "#contract/permissions.ts";
import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { roleScopes } from "#contract/roles.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";

/** What a person can allow a command to do, by the text of the choice. Each has only scopes that the person has somewhere. */
export function connectChoices(account: Pick<Account, "permissions">): ReadonlyMap<string, readonly Scope[]> {
  const permissions = permissionsIn(account);
  const own = allScopes.filter((scope) => reachOf(permissions, scope)?.length !== 0);
  const all: readonly (readonly [string, readonly Scope[]])[] = [
    ["Everything that you may do", own],
    ["Deploy, and see what you may see", own.filter((scope) => roleScopes.deployer.includes(scope))],
    ["Only see what you may see", own.filter((scope) => scope.endsWith(":read"))],
  ];
  // Who may only see has one choice.
  const isNew = (scopes: readonly Scope[], at: number) =>
    !all.slice(0, at).some(([, earlier]) => earlier.length === scopes.length);
  return new Map(all.filter(([, scopes], at) => isNew(scopes, at)));
}
