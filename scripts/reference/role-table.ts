import { join } from "node:path";

import type { Access } from "#contract/endpoints/endpoint.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { missingPermission } from "#contract/may-call.ts";
import type { Permission } from "#contract/permissions.ts";
import { ExtraScope, Role, roleScopes } from "#contract/roles.ts";

import { root } from "../shared/root.ts";
import { withPart } from "./with-part.ts";

export const membersPagePath = join(root, "docs", "members.md");

/** For somebody who is no member yet. */
const notForMembers: ReadonlySet<OperationName> = new Set(["createOwner"]);

/** docs/members.md with the current table of what each role may call. @throws if it has no place for it */
export function withRoleTable(page: string): string {
  return withPart(page, "operations-by-role", roleTable());
}

/** Operations that the same members may call share a row. What more members may call is above. */
function roleTable(): string {
  const groups = new Map<string, OperationName[]>();
  for (const [name, access] of operations()) {
    const cells = Role.options.map((role) => cellOf(access, role)).join(" | ");
    groups.set(cells, [...(groups.get(cells) ?? []), name]);
  }
  const rows = [...groups]
    .toSorted(([one], [other]) => exclusivity(one) - exclusivity(other))
    .map(([cells, names]) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${cells} |\n`);
  const roles = Role.options.map((role) => `\`${role}\``).join(" | ");
  return `| Operations | ${roles} |\n|---|---|---|---|\n${rows.join("")}`;
}

function operations(): (readonly [OperationName, Access])[] {
  return Object.keys(endpoints)
    .filter((name): name is OperationName => Object.hasOwn(endpoints, name))
    .filter((name) => endpoints[name].access.by === "token" && !notForMembers.has(name))
    .map((name) => [name, endpoints[name].access]);
}

const YES = "yes";
const IN_ACCOUNT = "in the account";
const SIGNED_IN = "signed in";
const NO = "no";

/** What a member with the role in some project needs besides. */
function cellOf(access: Access, role: Role): string {
  const may = (projectIds: Permission["projectIds"], extra: readonly ExtraScope[] = []) =>
    missingPermission(access, [{ scopes: [...roleScopes[role], ...extra], projectIds }]) === null;
  if (access.by === "token" && access.reach === "person") return SIGNED_IN;
  if (may([])) return YES;
  if (may(null)) return IN_ACCOUNT;
  const extra = ExtraScope.options.find((scope) => may([], [scope]));
  return extra === undefined ? NO : `\`${extra}\``;
}

/** The more members may not call it, the more. */
function exclusivity(cells: string): number {
  const ranks = cells
    .split(" | ")
    .map((cell) => [YES, SIGNED_IN, IN_ACCOUNT].indexOf(cell))
    .map((at) => (at === -1 ? 3 : at));
  return ranks.reduce((sum, rank) => sum * 4 + rank, 0);
}
