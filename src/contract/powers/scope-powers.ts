import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";

/** What can do harm in the wrong hands, in words that follow "lets the caller". */
export const powerWords = {
  run_code: "run code of their choice with a project's secrets",
  read_secrets: "read or publish secrets or source code",
  read_output: "read what builds, apps and jobs print",
  send_data: "choose where data is sent",
  choose_code: "choose which code is deployed",
  weaken_guard: "weaken or lift a protection, such as an approval or a freeze",
  grant_access: "create or replace credentials",
} as const;

export type Power = keyof typeof powerWords;

/** The powers that the words of each scope grant. A `write` scope has the powers of its `read` scope too. */
export const scopePowers = {
  "deployments:read": ["read_output"],
  "deployments:write": ["choose_code"],
  "deployments:approve": ["weaken_guard"],
  "deployments:emergency": ["weaken_guard"],
  "commands:run": ["run_code", "read_output"],
  "projects:read": [],
  "projects:write": ["run_code", "read_secrets", "send_data", "choose_code", "weaken_guard"],
  "servers:read": [],
  "servers:write": ["read_secrets", "send_data"],
  "events:read": ["read_output"],
  "webhooks:read": [],
  "webhooks:write": ["send_data", "grant_access"],
  "hooks:read": [],
  "hooks:write": ["choose_code", "grant_access"],
  "freezes:read": [],
  "freezes:write": ["weaken_guard"],
  "audit:read": [],
  "members:read": [],
  "members:write": ["grant_access"],
  "tokens:read": [],
  "tokens:write": ["grant_access"],
  "account:write": ["weaken_guard"],
} as const satisfies Record<Scope, readonly Power[]>;

type ReadOf<S extends Scope> = S extends `${infer Resource}:write`
  ? Extract<Scope, `${Resource}:read`>
  : never;

/** The powers that a scope grants. */
export type PowerOf<S extends Scope> = (typeof scopePowers)[S | ReadOf<S>][number];

/** The powers that these scopes grant together, in the order of `powerWords`. */
export function powersOf(scopes: readonly Scope[]): Power[] {
  const granted = new Set<string>(
    allScopes.filter((scope) => scopesAllow(scopes, scope)).flatMap((scope) => scopePowers[scope]),
  );
  return Object.keys(powerWords).filter((power): power is Power => granted.has(power));
}
