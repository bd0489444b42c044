import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import * as schemas from "#contract/endpoints/variables/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";

const changed = {
  changed_at: "2026-11-20T09:10:11.120Z",
  changed_by: { type: "token", id: example.token, name: "CI of shop" },
} as const;

const variables = {
  account_id: example.account,
  project_id: example.project,
  server_id: example.server,
  revision: 3,
  variables: [
    {
      name: "DATABASE_PASSWORD",
      secret: true,
      revision: 3,
      build: false,
      sealed_for: [example.fingerprint],
      ...changed,
    },
    { name: "PUBLIC_URL", secret: false, revision: 1, value: "https://shop.example.com", ...changed },
  ],
  seal_key: { public_key: example.publicKey, fingerprint: example.fingerprint },
  servers: [
    {
      server_id: example.server,
      seal_key: { public_key: example.publicKey, fingerprint: example.fingerprint },
    },
  ],
  not_sealed: [],
} as const;

export const variableTexts = {
  getVariables: {
    summary: "Get the variables of a project",
    description: prose`
      Returns the current variables of a project, sorted by name. The response contains the values of plain variables,
      but never the values of secrets: only the agents of the servers can open them. Every token that can read the project
      can read its plain values, so use a secret for anything confidential.

      To seal secrets yourself, use the keys in \`servers\`, and compare each fingerprint with the fingerprint that
      \`gantry-agent status\` prints on the server. A key is \`null\` until an agent that supports secrets has connected.
      \`not_sealed\` names the secrets that one of the servers cannot open, because the project was moved, the server was
      added later, or it lost its key. Deployments and rollbacks are refused (409 \`secrets_not_sealed\`) until you enter them again or
      remove them.`,
    answer: variables,
  },
  updateVariables: {
    summary: "Set and remove variables of a project",
    description: prose`
      Sets and removes variables. All changes of a request form one revision. Variables that are not in the request stay
      as they are, and removing a missing variable has no effect. The change applies to deployments that start from now
      on.

      All commands of the project get plain variables. Release and activate commands get secrets too, but builds only
      get secrets with \`build\`. The secret \`GANTRY_REPOSITORY_TOKEN\` is the password of the repository's https address: git gets
      it, and no build or command does. The secret \`GANTRY_REGISTRY_TOKEN\` has a line \`USER:TOKEN@HOST\` for each private registry of
      base images, and only their pulls get it. Other names that begin with \`GANTRY\` are 422.

      Send a secret as a \`value\` with \`secret: true\`, and it is sealed for the project's servers before it is stored. To
      seal it yourself, send \`sealed\` with a box for each server, and the current revision as \`revision\`, because the
      secret is sealed for the next one. For one server its box has the value. For several, at most 50, encrypt the value
      once, send it as \`ciphertext\`, and put the key of the ciphertext into each box. If the variables have changed in
      the meantime, the response is 409 \`revision_conflict\`: read them, seal again, and retry. Without \`revision\`, the
      request applies to whatever the current revision is.

      If a server has no seal key yet, a request with a secret is 409 \`no_seal_key\`. If a secret has no box for the
      current key of one of the servers, it is 409 \`secrets_not_sealed\`. Boxes for further keys are accepted. A project can have 200 variables with 512 KiB of values in total (409
      \`too_many\`).`,
    body: {
      set: [
        { name: "PUBLIC_URL", value: "https://shop.example.com" },
        { name: "DATABASE_PASSWORD", value: "only-an-example", secret: true },
      ],
      remove: ["OLD_FLAG"],
    },
    answer: variables,
  },
  listVariableRevisions: {
    summary: "List the changes of a project's variables, newest first",
    description: prose`
      Returns one page of the changes of a project's variables, newest first: who changed which variables when, without
      values. The last 100 revisions are kept, and the revisions of deployments that can be rolled back to.`,
    answer: {
      revisions: [{ revision: 3, ...changed, set: ["DATABASE_PASSWORD"], removed: ["OLD_FLAG"] }],
      next_cursor: null,
    },
  },
} as const satisfies Partial<OperationTexts>;

const setFields = {
  name: "The name: letters, digits and `_`. Names that begin with `GANTRY` are reserved, except `GANTRY_REPOSITORY_TOKEN` and `GANTRY_REGISTRY_TOKEN`.",
  value: "The value, at most 32 KiB of UTF-8 without NUL characters. Send either `value` or `sealed`.",
  sealed:
    "The boxes of a secret, one for each server of the project: with `ciphertext` up to 50, and without it up to 5. No two have the same fingerprint.",
  ciphertext:
    "The value of a secret that is sealed for several servers, encrypted once with a random key: a nonce of 12 bytes, the AES-256-GCM ciphertext and its tag, in base64url. The additional data are the account's id, the project's id, the name and the revision that sets the secret, separated by NUL characters. Each box in `sealed` has the key. Must be omitted with one box.",
  secret: "Whether the value is stored sealed, and is never shown again.",
  build:
    "Whether builds get the secret too. If omitted: as before, and `false` for a new secret. Builds get all plain variables.",
};

const changedFields = {
  changed_at: "When it was changed.",
  changed_by: "Who changed it.",
};

export const variableSchemas = {
  SetVariable: object(schemas.SetVariable, "A variable to set.", setFields),
  SealedValue: object(
    schemas.SealedValue,
    "A box for a server, with a secret's value or, if the variable has a `ciphertext`, with its 32-byte key: HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. `info` is `gantry secret, version 1` for a value and `gantry secret, version 2` for a key. The additional data are the account's id, the project's id, the name, the revision that sets the secret and the fingerprint, separated by NUL characters.",
    {
      fingerprint: "The fingerprint of the key that it is sealed for.",
      box: "HPKE's encapsulated key and ciphertext, in base64url.",
    },
  ),
  SealKey: object(SealKey, "The public key for which a server's secrets are sealed.", {
    public_key: "The X25519 key, in base64url.",
    fingerprint: "The first 16 bytes of the key's SHA-256, in base64url.",
  }),
  UpdateVariablesInput: object(schemas.UpdateVariablesInput, "The variables to set and to remove.", {
    set: "The variables to set. Each one replaces the variable of that name.",
    remove: "The names of the variables to remove.",
    revision:
      "The revision that the change is based on. With another current revision, the response is 409 `revision_conflict`. Required with `sealed`.",
  }),
  ChangedBy: object(schemas.ChangedBy, "Who changed variables.", {
    type: "`token`, or `system` if Gantry sealed the password of a repository's address.",
    id: "The token's id.",
    name: "The name of the person or the token at that time, or `Gantry`.",
    member: "The member, if the token is the session or the personal token of one.",
  }),
  Variable: object(schemas.Variable, "A variable of a project.", {
    ...changedFields,
    name: "The name.",
    secret: "Whether it is a secret. The values of secrets are never shown.",
    value: "The value of a plain variable.",
    revision: "The revision that set the variable.",
    build: "Whether builds get the secret.",
    sealed_for: "The fingerprints of the keys that open the secret.",
  }),
  Variables: object(schemas.Variables, "The variables of a project.", {
    account_id: "The account's id, which is part of what a secret is sealed with.",
    project_id: "The project's id.",
    server_id: "The id of the project's server, or of the first one of several.",
    revision: "The current revision. 0: there never were any variables.",
    variables: "The variables, sorted by name.",
    seal_key:
      "The key of the server in `server_id`. `null` until an agent that supports secrets has connected.",
    servers:
      "All servers of the project, with the keys to seal for. The first one is the server in `server_id`.",
    not_sealed: "The names of the secrets that a server of the project cannot open.",
  }),
  SealingServer: object(schemas.SealingServer, "A server that a project's secrets are sealed for.", {
    server_id: "The server's id.",
    seal_key: "The key of the server. `null` until an agent that supports secrets has connected.",
  }),
  VariableRevision: object(schemas.VariableRevision, "A change of a project's variables.", {
    ...changedFields,
    revision: "The number of the revision.",
    set: "The names of the variables that were set.",
    removed: "The names of the variables that were removed.",
  }),
  VariableRevisions: object(schemas.VariableRevisions, "A page of changes.", {
    revisions: "The changes of this page, newest first.",
    next_cursor: nextCursor,
  }),
} satisfies Record<string, SchemaText>;
