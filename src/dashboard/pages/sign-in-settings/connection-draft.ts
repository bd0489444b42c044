import type { Connection, JoinPolicy } from "#contract/endpoints/connections/schemas.ts";
import { JoinPolicy as Policies } from "#contract/endpoints/connections/schemas.ts";
import { draftsOf, type GrantDraft, grantsIn } from "#dashboard/pages/members/grant-draft.ts";

/** What people in a group get, while it is edited. */
export type GroupDraft = { readonly group: string; readonly grants: readonly GrantDraft[] };

/** A connection while it is edited. Lists are texts, with commas. */
export type ConnectionDraft = {
  readonly kind: "oidc" | "github";
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: as before. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly groups: readonly GroupDraft[];
  readonly syncGrants: boolean;
  readonly join: JoinPolicy;
  readonly domains: string;
  /** null: people who join and are in no group get nothing. */
  readonly joinGrants: readonly GrantDraft[] | null;
  readonly hours: string;
  /** Empty: personal tokens do not pause. */
  readonly tokenDays: string;
};

export const newConnection: ConnectionDraft = {
  kind: "oidc",
  name: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  scopes: "",
  groupsClaim: "groups",
  groups: [],
  syncGrants: true,
  join: "off",
  domains: "",
  joinGrants: null,
  hours: "12",
  tokenDays: "30",
};

/** The draft of a connection that exists. */
export function draftOf(connection: Connection): ConnectionDraft {
  return {
    kind: connection.kind === "github" ? "github" : "oidc",
    name: connection.name,
    issuer: connection.issuer,
    clientId: connection.client_id,
    clientSecret: "",
    scopes: connection.scopes.join(", "),
    groupsClaim: connection.groups_claim,
    groups: connection.group_grants.map(({ group, grants }) => ({ group, grants: draftsOf(grants) })),
    syncGrants: connection.sync_grants,
    join: Policies.options.find((one) => one === connection.join) ?? "off",
    domains: connection.domains.join(", "),
    joinGrants: connection.join_grants.length === 0 ? null : draftsOf(connection.join_grants),
    hours: String(connection.session_hours),
    tokenDays: connection.token_days === null ? "" : String(connection.token_days),
  };
}

const listOf = (text: string) => text.split(/[\s,]+/).filter((one) => one !== "");

/** The body of a change. */
export function changesIn(draft: ConnectionDraft) {
  const scopes = listOf(draft.scopes);
  return {
    name: draft.name.trim(),
    client_id: draft.clientId.trim(),
    ...(draft.clientSecret.trim() !== "" && { client_secret: draft.clientSecret.trim() }),
    ...(scopes.length > 0 && { scopes }),
    groups_claim: draft.groupsClaim.trim(),
    group_grants: draft.groups.map(({ group, grants }) => ({
      group: group.trim(),
      grants: grantsIn(grants),
    })),
    sync_grants: draft.syncGrants,
    join: draft.join,
    domains: listOf(draft.domains.toLowerCase()),
    join_grants: draft.joinGrants === null ? [] : grantsIn(draft.joinGrants),
    session_hours: Number(draft.hours),
    token_days: draft.tokenDays.trim() === "" ? null : Number(draft.tokenDays),
  };
}

/** The body of a new connection. */
export function connectionIn(draft: ConnectionDraft) {
  const issuer = draft.issuer.trim();
  return { ...changesIn(draft), kind: draft.kind, ...(issuer !== "" && { issuer }) };
}
