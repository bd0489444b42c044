import * as z from "zod/mini";

import { parseAddress } from "#contract/addresses/web-address.ts";
import { listBetween, listUpTo, textBetween, textLike, wholeBetween } from "#contract/bounds.ts";
import { ConnectionKind, OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { Grant, GrantInput } from "#contract/endpoints/members/schemas.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { growing } from "#contract/growing.ts";
import { firstHidden } from "#contract/hidden-text.ts";
import { ConnectionId } from "#contract/ids.ts";

/** The maximum number of connections of an account. */
export const MAX_CONNECTIONS = 10;
/** The maximum number of groups that a connection maps to grants. */
export const MAX_GROUP_GRANTS = 50;
export const MAX_SESSION_HOURS = 12;
export const MAX_TOKEN_DAYS = 365;
const DEFAULT_TOKEN_DAYS = 30;
const MAX_DOMAINS = 20;
const MAX_SCOPES = 20;
const MAX_GRANTS = 20;
const MAX_TEXT = 300;

export const GITHUB_ISSUER = "https://github.com";

/**
 * Who becomes a member by a first sign-in. `off`: nobody. `invited`: people whose verified address has an open invitation.
 * `domain`: people with a verified address in one of the domains. `group`: people in a group that has grants.
 */
export const JoinPolicy = z.enum(["off", "invited", "domain", "group"]);
export type JoinPolicy = z.infer<typeof JoinPolicy>;

/** The scopes that are requested if a connection names none. */
export const defaultScopes: Readonly<Record<ConnectionKind, readonly string[]>> = {
  oidc: ["openid", "email", "profile"],
  github: ["read:user", "user:email", "read:org"],
};

/** An address, as the provider writes it: also a slash at its end counts. */
const Issuer = textBetween(1, MAX_TEXT).check(
  z.superRefine((text, context) => {
    const read = parseAddress(text);
    if (!read.ok) context.addIssue({ code: "custom", message: read.message });
    else if (read.value.query !== "")
      context.addIssue({ code: "custom", message: "must not have a query (?)" });
  }),
);

/** Visible, because people compare it with what the provider shows. */
const Visible = textBetween(1, MAX_TEXT).check(
  z.refine(
    (text) => firstHidden(text) === null && !/\p{Cc}/u.test(text),
    "must be one line without invisible characters",
  ),
);
const ClientSecret = textLike(/^[!-~]{1,500}$/, "must be 1 to 500 characters without spaces");
/** Source: RFC 6749 section 3.3. */
const ScopeName = textLike(/^[!#-[\]-~]{1,100}$/, "must be a scope of the provider, such as groups");
const Domain = textLike(
  /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/,
  "must be a domain in lower case, such as example.com",
).check(z.maxLength(253));

/** What people in a group of the provider get. */
export const GroupGrantInput = z.strictObject({
  group: Visible,
  grants: listBetween(GrantInput, 1, MAX_GRANTS),
});
export type GroupGrantInput = z.infer<typeof GroupGrantInput>;

export const GroupGrant = z.strictObject({ group: z.string(), grants: z.array(Grant) });
export type GroupGrant = z.infer<typeof GroupGrant>;

/** What can change later. The kind and the issuer cannot: another provider has other subjects. */
const changeable = {
  name: DisplayName,
  client_id: Visible,
  client_secret: z.nullable(ClientSecret),
  scopes: listBetween(ScopeName, 1, MAX_SCOPES),
  groups_claim: Visible,
  group_grants: listUpTo(GroupGrantInput, MAX_GROUP_GRANTS),
  sync_grants: z.boolean(),
  join: JoinPolicy,
  domains: listUpTo(Domain, MAX_DOMAINS),
  join_grants: listUpTo(GrantInput, MAX_GRANTS),
  session_hours: wholeBetween(1, MAX_SESSION_HOURS),
  token_days: z.nullable(wholeBetween(1, MAX_TOKEN_DAYS)),
};

/** `issuer`: needed for `oidc`. `client_secret`: null: the provider knows the installation as a public client. */
export const CreateConnectionInput = z.strictObject({
  kind: z._default(ConnectionKind, "oidc"),
  issuer: z.optional(Issuer),
  name: changeable.name,
  client_id: changeable.client_id,
  client_secret: z._default(changeable.client_secret, null),
  scopes: z.optional(changeable.scopes),
  groups_claim: z._default(changeable.groups_claim, "groups"),
  group_grants: z._default(changeable.group_grants, []),
  sync_grants: z._default(changeable.sync_grants, true),
  join: z._default(JoinPolicy, "off"),
  domains: z._default(changeable.domains, []),
  join_grants: z._default(changeable.join_grants, []),
  session_hours: z._default(changeable.session_hours, MAX_SESSION_HOURS),
  token_days: z._default(changeable.token_days, DEFAULT_TOKEN_DAYS),
});
export type CreateConnectionInput = z.infer<typeof CreateConnectionInput>;

/** The fields to change. `is_forced`: whether members who are no owners can sign in only by connections that have it. */
export const UpdateConnectionInput = z.partial(z.strictObject({ ...changeable, is_forced: z.boolean() }));
export type UpdateConnectionInput = z.infer<typeof UpdateConnectionInput>;

/** A provider by which people sign in. `redirect_uri`: what to register there. `last_used_at`: the last sign-in. */
export const Connection = z.strictObject({
  id: ConnectionId,
  kind: growing(ConnectionKind),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  has_client_secret: z.boolean(),
  scopes: z.array(z.string()),
  groups_claim: z.string(),
  group_grants: z.array(GroupGrant),
  sync_grants: z.boolean(),
  join: growing(JoinPolicy),
  domains: z.array(z.string()),
  join_grants: z.array(Grant),
  is_forced: z.boolean(),
  session_hours: z.int(),
  token_days: z.nullable(z.int()),
  redirect_uri: z.string(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
});
export type Connection = z.infer<typeof Connection>;

export const ConnectionRows = z.strictObject({ connections: z.array(Connection) });
export type ConnectionRows = z.infer<typeof ConnectionRows>;

/** SHA-256 of the binding, in hex. The binding is a secret of the browser's tab. */
const BindingHash = textLike(/^[0-9a-f]{64}$/, "must be SHA-256 in hex");

/**
 * Nothing: the provider is only checked. `binding_hash`: starts a test sign-in. `query` and `binding`: ends it. Nobody is signed in.
 */
export const TestConnectionInput = z
  .strictObject({ binding_hash: z.optional(BindingHash), answer: z.optional(ProviderAnswer) })
  .check(
    z.refine(
      ({ binding_hash: hash, answer }) => hash === undefined || answer === undefined,
      "must not have both binding_hash and answer",
    ),
  );
export type TestConnectionInput = z.infer<typeof TestConnectionInput>;

/**
 * What a test sign-in gave. `claims`: what the provider says of the person, as text. `groups`: null: the provider sent none.
 * `member`: who would be signed in; null: nobody yet, or nobody. `problem`: why not, as a sentence.
 */
export const TestSignIn = z.strictObject({
  subject: z.string(),
  email: z.nullable(z.string()),
  groups: z.nullable(z.array(z.string())),
  claims: z.record(z.string(), z.string()),
  member: z.nullable(MemberReference),
  grants: z.array(Grant),
  problem: z.nullable(z.string()),
});
export type TestSignIn = z.infer<typeof TestSignIn>;

/**
 * `problems`: sentences that say what does not work and what to do. `notes`: what works and may surprise. `url`: where the test
 * sign-in continues; null: none was started.
 */
export const ConnectionTest = z.strictObject({
  problems: z.array(z.string()),
  notes: z.array(z.string()),
  url: z.nullable(z.string()),
  sign_in: z.nullable(TestSignIn),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

export const SignInQuery = z.strictObject({ domain: z.optional(Domain) });
export type SignInQuery = z.infer<typeof SignInQuery>;

export const SignInOptions = z.strictObject({ connections: z.array(OfferedConnection) });
export type SignInOptions = z.infer<typeof SignInOptions>;

const started = { connection_id: ConnectionId, binding_hash: BindingHash };

export const StartSignInInput = z.strictObject(started);
export type StartSignInInput = z.infer<typeof StartSignInInput>;

/** What somebody who is signed in asks a provider for: to confirm the session, or to add an identity. */
export const StartProviderInput = z.strictObject({ act: z.enum(["confirm", "add_identity"]), ...started });
export type StartProviderInput = z.infer<typeof StartProviderInput>;

/** Where the browser continues. */
export const SignInStarted = z.strictObject({ url: z.string(), expires_at: z.string() });
export type SignInStarted = z.infer<typeof SignInStarted>;
