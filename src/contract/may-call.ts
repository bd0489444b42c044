import type { Access } from "#contract/endpoint.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/** What decides which endpoints a token may call. */
export type Grant = {
  readonly scopes: readonly Scope[];
  /** Whether the token is limited to some projects of its account. */
  readonly isLimited: boolean;
};

/**
 * What a token lacks to call an endpoint: its scope, or the whole account where the token is limited to projects.
 * Null: nothing. Which projects the token sees is another question, and the database's rows answer it.
 */
export function lackOf(access: Access, { scopes, isLimited }: Grant): "scope" | "whole_account" | null {
  if (access.by !== "token") return null;
  if (access.scope !== null && !scopesAllow(scopes, access.scope)) return "scope";
  return access.reach === "account" && isLimited ? "whole_account" : null;
}
