import { ConnectionKind, OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import * as schemas from "#contract/endpoints/connections/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const connection = {
  id: example.connection,
  kind: "oidc",
  name: "Okta",
  issuer: "https://acme.okta.com",
  client_id: "0oa1b2c3d4e5f6g7h8i9",
  has_client_secret: true,
  scopes: ["openid", "email", "profile", "groups"],
  groups_claim: "groups",
  group_grants: [{ group: "deployers", grants: [{ role: "deployer", project_ids: null, extra_scopes: [] }] }],
  sync_grants: true,
  join: "group",
  domains: ["example.com"],
  join_grants: [],
  is_forced: false,
  session_hours: 12,
  token_days: 30,
  redirect_uri: "https://gantry.example.com/app/sign-in/callback",
  created_at: "2026-11-02T08:20:00.000Z",
  last_used_at: "2026-11-20T09:04:11.318Z",
} as const;

const bindingHash = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c";

const started = {
  url: "https://acme.okta.com/oauth2/v1/authorize?client_id=0oa1b2c3d4e5f6g7h8i9",
  expires_at: "2026-11-20T09:24:02.000Z",
} as const;

export const connectionTexts = {
  listConnections: {
    summary: "List connections",
    description: prose`
      Returns the connections of the account, the oldest first, without their client secrets. An account can have
      ${schemas.MAX_CONNECTIONS}.`,
    answer: { connections: [connection] },
  },
  createConnection: {
    summary: "Create a connection",
    description: prose`
      Lets people sign in by a provider: any issuer of OpenID Connect, or GitHub. Register \`redirect_uri\` at the provider. The issuer
      is asked for its configuration, and stored as it writes itself: with or without a slash at its end. What is wrong with it is a
      sentence at \`/issuer\`.

      A person is known by what the provider calls them (\`sub\`, or the number of a GitHub account), never by an e-mail address. By
      default nobody becomes a member by a connection: members add an identity in their profile, or accept an invitation by the
      provider. \`join\` lets more people in. \`domains\` also lets a member who is not an owner sign in for the first time whose address
      the provider has verified. Microsoft Entra does not verify addresses, so its addresses are not used.

      If \`group_grants\` is not empty, the groups of a person decide what they may do, at the first sign-in and, with \`sync_grants\`, at
      each. If the provider sends no groups, the grants stay. Owners stay owners.

      Only an owner who is signed in can do this (403 \`person_required\`), and must have confirmed the session (403
      \`reauthentication_required\`).`,
    body: {
      name: "Okta",
      issuer: "https://acme.okta.com",
      client_id: connection.client_id,
      client_secret: "example-of-a-client-secret",
      scopes: [...connection.scopes],
      group_grants: [{ group: "deployers", grants: [{ role: "deployer" }] }],
      join: "group",
      domains: ["example.com"],
    },
    answer: { ...connection, last_used_at: null },
    location: null,
  },
  updateConnection: {
    summary: "Change a connection",
    description: prose`
      Changes a connection. Omitted fields keep their values; lists are replaced as a whole. The issuer cannot change, because another
      provider has other subjects: create another connection.

      \`is_forced\`: members who are not owners can then sign in only by connections that have it. Their other sessions end. It can be
      turned on only by an owner who has signed in, or confirmed, by this connection in the last 10 minutes (403 \`sso_required\`), so that
      it works. Owners keep their passkeys, and sign-in links work.`,
    body: { is_forced: true },
    answer: { ...connection, is_forced: true },
  },
  deleteConnection: {
    summary: "Delete a connection",
    description: prose`
      Deletes a connection with the identities of its members, and ends the sessions that it gave, except the session of the request.
      The members stay.`,
  },
  testConnection: {
    summary: "Test a connection",
    description: prose`
      Says what is wrong with a connection. With an empty body, the provider is asked for its configuration. With \`binding_hash\`, the
      response also has a \`url\`: sign in there, and send what comes back as \`answer\`. The response then has the claims of the person, and
      what they would give. Nobody is signed in, and nothing changes.`,
    body: { binding_hash: bindingHash },
    answer: { problems: [], notes: [], url: started.url, sign_in: null },
  },
  getSignInOptions: {
    summary: "List ways to sign in",
    description: prose`
      Returns the connections by which people can sign in, with their names. If the installation has several accounts, only the connections that
      list \`domain\`: the part of an e-mail address after the @. The response to a domain that no account has is the same as to one
      without connections.`,
    answer: { connections: [{ id: example.connection, kind: "oidc", name: "Okta" }] },
  },
  startSignIn: {
    summary: "Start a sign-in by a provider",
    description: prose`
      Returns the address of the provider at which the sign-in continues. The provider sends the browser back to the callback page, and
      the page sends what it got to \`POST /v1/sessions\`, within 10 minutes. \`binding_hash\` is SHA-256 of a random secret of the browser's
      tab, so that the answer works only there. Nothing is stored.`,
    body: { connection_id: example.connection, binding_hash: bindingHash },
    answer: started,
  },
  startProvider: {
    summary: "Confirm or add an identity by a provider",
    description: prose`
      As \`POST /v1/sign-in/start\`, for somebody who is signed in. \`confirm\`: the provider asks the person to sign in again, and the answer
      goes to \`POST /v1/session/confirm\`. \`add_identity\`: the answer goes to \`POST /v1/me/identities\`. It counts only in this session.`,
    body: { act: "confirm", connection_id: example.connection, binding_hash: bindingHash },
    answer: started,
  },
} as const satisfies Partial<OperationTexts>;

const changeable = {
  name: "A name for people, which the sign-in page shows.",
  client_id: "The id that the provider has given the installation.",
  scopes:
    "The scopes that are requested. Default: `openid`, `email` and `profile`; at GitHub `read:user`, `user:email` and `read:org`.",
  groups_claim:
    "The claim with the groups of a person. Dots lead into objects, as in `realm_access.roles`. At GitHub the groups are the numbers of the person's organizations.",
  group_grants: "What people in a group get. The grants of all groups of a person add up.",
  sync_grants: "Whether the grants follow the groups at each sign-in, and not only at the first.",
  join: "Who becomes a member by a first sign-in.",
  domains: "The domains whose verified e-mail addresses are trusted.",
  join_grants: "What people get who join and are in no group with grants.",
  session_hours: "How long a session lasts, in hours.",
  token_days:
    "After how many days without a sign-in the personal tokens of the people who have this connection pause. `null`: they do not.",
};

const clientSecret =
  "The client secret. It is never returned. `null`: the provider knows the installation as a public client.";

const offered = { id: "The connection's id.", kind: "The protocol.", name: changeable.name };

const start = {
  connection_id: "The connection.",
  binding_hash: "SHA-256 in hex of a random secret that only the browser's tab knows.",
};

const groupGrant = { group: "The group, as the provider writes it.", grants: "What people in it may do." };

export const connectionSchemas = {
  ConnectionKind: choice(ConnectionKind, "The protocol of a provider.", {
    oidc: "OpenID Connect",
    github: "GitHub, or GitHub Enterprise",
  }),
  JoinPolicy: choice(schemas.JoinPolicy, "Who becomes a member by a first sign-in.", {
    off: "nobody",
    invited: "people whose verified e-mail address has an open invitation",
    domain: "people with a verified e-mail address in one of the domains",
    group: "people in a group that has grants",
  }),
  GroupGrantInput: object(schemas.GroupGrantInput, "What people in a group get.", groupGrant),
  GroupGrant: object(schemas.GroupGrant, "What people in a group get.", groupGrant),
  CreateConnectionInput: object(schemas.CreateConnectionInput, "The connection to create.", {
    ...changeable,
    kind: offered.kind,
    issuer: "The address of the provider. Needed for `oidc`. Default: `https://github.com` for `github`.",
    client_secret: clientSecret,
  }),
  UpdateConnectionInput: object(
    schemas.UpdateConnectionInput,
    "The fields to change. Omitted fields keep their values.",
    {
      ...changeable,
      client_secret: clientSecret,
      is_forced: "Whether members who are not owners can sign in only by connections that have it.",
    },
  ),
  Connection: object(schemas.Connection, "A provider by which people sign in.", {
    ...changeable,
    id: offered.id,
    kind: offered.kind,
    issuer: "The address of the provider, as it writes it.",
    has_client_secret: "Whether there is a client secret.",
    is_forced: "Whether members who are not owners can sign in only by connections that have it.",
    redirect_uri: "The address to register at the provider.",
    created_at: "When it was created.",
    last_used_at: "When somebody last signed in by it. `null`: nobody has.",
  }),
  ConnectionRows: object(schemas.ConnectionRows, "The connections of an account.", {
    connections: "The connections, the oldest first.",
  }),
  TestConnectionInput: object(schemas.TestConnectionInput, "What to test. At most one field.", {
    binding_hash: `Only to start a test sign-in. ${start.binding_hash}`,
    answer: "Ends a test sign-in: what the provider has sent back.",
  }),
  TestSignIn: object(schemas.TestSignIn, "What a test sign-in gave.", {
    subject: "What the provider calls the person. It never changes.",
    email: "The e-mail address, if the provider has verified it. `null`: none.",
    groups: "The groups of the person. `null`: the provider sent none.",
    claims: "What the provider says of the person, as text.",
    member: "Who would be signed in. `null`: nobody, or somebody who would join.",
    grants: "What they could do.",
    problem: "Why they would not be signed in, as a sentence. `null`: they would be.",
  }),
  ConnectionTest: object(schemas.ConnectionTest, "The result of a test.", {
    problems: "What does not work and what to do, as sentences.",
    notes: "What works and may surprise, as sentences.",
    url: "Where the test sign-in continues. `null`: none was started.",
    sign_in: "What the test sign-in gave. `null`: none has ended.",
  }),
  OfferedConnection: object(OfferedConnection, "A connection as the sign-in page shows it.", offered),
  SignInOptions: object(schemas.SignInOptions, "Ways to sign in.", {
    connections: "The connections, the oldest first.",
  }),
  StartSignInInput: object(schemas.StartSignInInput, "By which connection.", start),
  StartProviderInput: object(schemas.StartProviderInput, "By which connection, and for what.", {
    ...start,
    act: "`confirm` to confirm the session, `add_identity` to add an identity.",
  }),
  SignInStarted: object(schemas.SignInStarted, "A sign-in that has started.", {
    url: "The address of the provider, to open in the same tab.",
    expires_at: "Until when the answer counts.",
  }),
} satisfies Record<string, SchemaText>;
