import * as z from "zod/mini";

import { allScopes, type Scope } from "#contract/scopes.ts";

/** What a member may do in some projects or in the whole account. Owners are admins of the whole account. */
export const Role = z.enum(["viewer", "deployer", "admin"]);
export type Role = z.infer<typeof Role>;

/** Scopes that a grant may add to its role. No role but `admin` includes them. */
export const ExtraScope = z.enum(["deployments:approve", "commands:run"]);
export type ExtraScope = z.infer<typeof ExtraScope>;

const viewerScopes: readonly Scope[] = [
  "deployments:read",
  "projects:read",
  "servers:read",
  "events:read",
  "webhooks:read",
  "hooks:read",
  "freezes:read",
];

/** The scopes of each role. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: viewerScopes,
  deployer: [...viewerScopes, "deployments:write"],
  admin: allScopes,
};
