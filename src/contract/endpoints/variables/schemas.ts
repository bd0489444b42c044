import * as z from "zod/mini";

import { listBetween, listUpTo, textLike, wholeFrom } from "#contract/bounds.ts";
import { Actor, ActorType } from "#contract/endpoints/deployments/schemas.ts";
import { MAX_SERVERS } from "#contract/endpoints/projects/servers.ts";
import { readRegistryLogins } from "#contract/endpoints/variables/registry-logins.ts";
import { base64url, Fingerprint, SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { AccountId, ProjectId, ServerId } from "#contract/ids.ts";
import { utf8Length } from "#contract/utf8-length.ts";
import { NextCursor } from "#contract/paging.ts";
import { growing, unknownOf } from "#contract/growing.ts";

/** The maximum number of variables of a project. */
export const MAX_VARIABLES = 200;

/** The maximum number of boxes of a secret that each have the value. With a ciphertext there is one for each server. */
export const MAX_VALUE_BOXES = 5;

/** The maximum length of a value, in bytes of UTF-8, and of all values of a project together, including secrets. */
const MAX_VALUE_BYTES = 32 * 1024;
export const MAX_VALUES_BYTES = 512 * 1024;

/** The secret that git gets as the password for an https repository. No build and no command gets it. */
export const REPOSITORY_TOKEN = "GANTRY_REPOSITORY_TOKEN";

/** The secret with the logins at the registries of base images. Only the pulls of a build get it: no instruction and no command. */
export const REGISTRY_TOKEN = "GANTRY_REGISTRY_TOKEN";

/** Whether a secret is for Gantry itself, and for no command of the project. */
export const isAccessToken = (name: string): boolean => name === REPOSITORY_TOKEN || name === REGISTRY_TOKEN;

/** The name of a variable. Names that begin with GANTRY are Gantry's own. */
export const VariableName = textLike(
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  "must be letters, digits and _, beginning with a letter or _, at most 128 characters",
).check(
  z.refine(
    (name) => isAccessToken(name) || !/^GANTRY(?:_|$)/i.test(name),
    `must not begin with GANTRY, except ${REPOSITORY_TOKEN} and ${REGISTRY_TOKEN}`,
  ),
);

const Value = z.string().check(
  z.refine((value) => !value.includes("\0"), "must not contain a NUL character"),
  z.refine(
    (value) => utf8Length(value) <= MAX_VALUE_BYTES,
    `must have at most ${MAX_VALUE_BYTES} bytes of UTF-8`,
  ),
);

/** What sealing adds to what is sealed, in bytes: a box, and a ciphertext. */
export const BOX_BYTES = 48;
export const CIPHERTEXT_BYTES = 28;

/** The characters of base64url without padding. */
const charactersOf = (bytes: number) => Math.ceil((bytes * 4) / 3);

/** The length of the box of a 32-byte key, in characters. */
const KEY_BOX_LENGTH = charactersOf(32 + BOX_BYTES);

const box = {
  fingerprint: Fingerprint,
  box: base64url(charactersOf(BOX_BYTES), charactersOf(MAX_VALUE_BYTES + BOX_BYTES)),
};
const Ciphertext = base64url(
  charactersOf(CIPHERTEXT_BYTES),
  charactersOf(MAX_VALUE_BYTES + CIPHERTEXT_BYTES),
);

/** A box for the server with this key. It has the secret's value, or with a ciphertext the key of the ciphertext. */
export const SealedValue = z.strictObject(box);
export type SealedValue = z.infer<typeof SealedValue>;

/** A secret as one server gets it: its box, and the ciphertext whose key the box has, if the box does not have the value. */
export const SealedSecret = z.strictObject({ ...box, ciphertext: z.optional(Ciphertext) });
export type SealedSecret = z.infer<typeof SealedSecret>;

/**
 * A variable to set. A secret is sent as its `value`, which is sealed before it is stored, or `sealed` for the revision
 * after the request's `revision`: for one server with the value in its box, for several with the value in `ciphertext`.
 * `build`: whether builds get the secret too.
 */
export const SetVariable = z
  .strictObject({
    name: VariableName,
    value: z.optional(Value),
    sealed: z.optional(listBetween(SealedValue, 1, MAX_SERVERS)),
    ciphertext: z.optional(Ciphertext),
    secret: z._default(z.boolean(), false),
    build: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      ({ value, sealed }) => (value === undefined) !== (sealed === undefined),
      "must have either value or sealed",
    ),
    // Not in the schemas of boxes: orders have them too, and a refused order would never be sent.
    z.refine(({ sealed = [] }) => sealed.every(({ box: { length } }) => length % 4 !== 1), {
      path: ["sealed"],
      message: "has a box that is not base64url: it has one character too many or too few",
    }),
    z.refine(({ ciphertext = "" }) => ciphertext.length % 4 !== 1, {
      path: ["ciphertext"],
      message: "is not base64url: it has one character too many or too few",
    }),
    z.refine(
      ({ sealed = [] }) => new Set(sealed.map(({ fingerprint }) => fingerprint)).size === sealed.length,
      { path: ["sealed"], message: "must not have two boxes for the same fingerprint" },
    ),
    z.refine(({ sealed, ciphertext }) => ciphertext === undefined || sealed !== undefined, {
      path: ["ciphertext"],
      message: "must have its key in the boxes of sealed",
    }),
    // One form for one server, which agents of every version open.
    z.refine(({ sealed, ciphertext }) => ciphertext === undefined || sealed?.length !== 1, {
      path: ["ciphertext"],
      message: "must be omitted for one server: its box has the value",
    }),
    z.refine(
      ({ sealed = [], ciphertext }) =>
        ciphertext === undefined || sealed.every(({ box: { length } }) => length === KEY_BOX_LENGTH),
      {
        path: ["sealed"],
        message: `must have boxes of ${KEY_BOX_LENGTH} characters, because each has the key of the ciphertext`,
      },
    ),
    z.refine(({ sealed = [], ciphertext }) => ciphertext !== undefined || sealed.length <= MAX_VALUE_BOXES, {
      path: ["sealed"],
      message: `must have ${MAX_VALUE_BOXES} boxes or fewer without ciphertext`,
    }),
    z.refine(({ sealed, secret }) => sealed === undefined || secret, {
      path: ["secret"],
      message: "must be true for a sealed value",
    }),
    z.refine(({ build, secret }) => build === undefined || secret, {
      path: ["build"],
      message: "is for secrets only: builds get every other variable",
    }),
    z.refine(({ name, secret }) => !isAccessToken(name) || secret, {
      path: ["secret"],
      message: `must be true for ${REPOSITORY_TOKEN} and ${REGISTRY_TOKEN}`,
    }),
    z.refine(({ name, build }) => name !== REPOSITORY_TOKEN || build !== true, {
      path: ["build"],
      message: `must not be true for ${REPOSITORY_TOKEN}: only git gets it`,
    }),
    z.refine(({ name, build }) => name !== REGISTRY_TOKEN || build !== true, {
      path: ["build"],
      message: `must not be true for ${REGISTRY_TOKEN}: only the pulls of base images get it`,
    }),
    z.superRefine(({ name, value }, context) => {
      const read = name === REGISTRY_TOKEN && value !== undefined ? readRegistryLogins(value) : null;
      if (read?.ok === false) context.addIssue({ code: "custom", path: ["value"], message: read.message });
    }),
  );
export type SetVariable = z.infer<typeof SetVariable>;

/** Changes of variables, which become one revision. `revision`: refuse the change if the current revision is another one. */
export const UpdateVariablesInput = z
  .strictObject({
    set: z._default(listUpTo(SetVariable, MAX_VARIABLES), []),
    remove: z._default(listUpTo(VariableName, MAX_VARIABLES), []),
    revision: z.optional(wholeFrom(0)),
  })
  .check(
    z.superRefine(({ set, remove, revision }, context) => {
      const names = [...set.map(({ name }) => name), ...remove];
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined)
        context.addIssue({ code: "custom", path: ["set"], message: `${twice} is named twice` });
      if (revision === undefined && set.some(({ sealed }) => sealed !== undefined))
        context.addIssue({
          code: "custom",
          path: ["revision"],
          message: "is required with sealed values, because they are sealed for the next revision",
        });
    }),
  );
export type UpdateVariablesInput = z.infer<typeof UpdateVariablesInput>;

/** Who changed variables: a token, or Gantry itself when it seals the password of a repository's address. */
export const ChangedBy = growing(
  z.discriminatedUnion("type", [Actor, z.strictObject({ type: z.literal("system"), name: z.string() })]),
  z.object({ type: unknownOf([...ActorType.options, "system"]), name: z.string() }),
);
export type ChangedBy = z.infer<typeof ChangedBy>;

/** `revision`: the revision that set the variable. */
const variable = { name: z.string(), revision: wholeFrom(1), changed_at: z.string(), changed_by: ChangedBy };
export const Variable = z.discriminatedUnion("secret", [
  z.strictObject({ ...variable, secret: z.literal(false), value: z.string() }),
  /** `sealed_for`: the fingerprints of the keys that open it. */
  z.strictObject({
    ...variable,
    secret: z.literal(true),
    build: z.boolean(),
    sealed_for: z.array(Fingerprint),
  }),
]);
export type Variable = z.infer<typeof Variable>;

/** A server of a project with the key to seal for. Null until its agent has connected. */
export const SealingServer = z.strictObject({ server_id: ServerId, seal_key: z.nullable(SealKey) });
export type SealingServer = z.infer<typeof SealingServer>;

/**
 * The variables of a project at its current revision; 0: none were ever set. `seal_key`: the key of the project's first
 * server. `servers`: all servers of the project, the first one first. `not_sealed`: the secrets that one of them cannot
 * open, which have to be entered again.
 */
export const Variables = z.strictObject({
  account_id: AccountId,
  project_id: ProjectId,
  server_id: ServerId,
  revision: wholeFrom(0),
  variables: z.array(Variable),
  seal_key: z.nullable(SealKey),
  /** An earlier control plane lists none. */
  servers: z._default(z.array(SealingServer), []),
  not_sealed: z.array(z.string()),
});
export type Variables = z.infer<typeof Variables>;

/** The servers of a project that its secrets are sealed for, the first one first. */
export function serversOf({ servers, server_id, seal_key }: Variables): readonly SealingServer[] {
  return servers.length > 0 ? servers : [{ server_id, seal_key }];
}

/** Who changed which variables when. Values are not part of the history. */
export const VariableRevision = z.strictObject({
  revision: wholeFrom(1),
  changed_at: z.string(),
  changed_by: ChangedBy,
  set: z.array(z.string()),
  removed: z.array(z.string()),
});
export type VariableRevision = z.infer<typeof VariableRevision>;
export const VariableRevisions = z.strictObject({
  revisions: z.array(VariableRevision),
  next_cursor: NextCursor,
});
export type VariableRevisions = z.infer<typeof VariableRevisions>;
