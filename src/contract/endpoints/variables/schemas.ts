import * as z from "zod/mini";

import { listBetween, listUpTo, textLike, wholeFrom } from "#contract/bounds.ts";
import { Actor, ActorType } from "#contract/endpoints/deployments/schemas.ts";
import { base64url, Fingerprint, SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { AccountId, ProjectId, ServerId } from "#contract/ids.ts";
import { utf8Length } from "#contract/utf8-length.ts";
import { NextCursor } from "#contract/paging.ts";
import { growing, unknownOf } from "#contract/growing.ts";

/** The maximum number of variables of a project, and the servers that a secret can be sealed for. */
export const MAX_VARIABLES = 200;
const MAX_SEALED_FOR = 5;

/** The maximum length of a value, in bytes of UTF-8, and of all values of a project together, including secrets. */
const MAX_VALUE_BYTES = 32 * 1024;
export const MAX_VALUES_BYTES = 512 * 1024;

/** The secret that git gets as the password for an https repository. No build and no command gets it. */
export const REPOSITORY_TOKEN = "GANTRY_REPOSITORY_TOKEN";

/** The name of a variable. Names that begin with GANTRY are Gantry's own. */
export const VariableName = textLike(
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  "must be letters, digits and _, beginning with a letter or _, at most 128 characters",
).check(
  z.refine(
    (name) => name === REPOSITORY_TOKEN || !/^GANTRY(?:_|$)/i.test(name),
    `must not begin with GANTRY, except ${REPOSITORY_TOKEN}`,
  ),
);

const Value = z.string().check(
  z.refine((value) => !value.includes("\0"), "must not contain a NUL character"),
  z.refine(
    (value) => utf8Length(value) <= MAX_VALUE_BYTES,
    `must have at most ${MAX_VALUE_BYTES} bytes of UTF-8`,
  ),
);

/** A secret's value, sealed for the server with this key. Sealing adds 48 bytes to the value. */
export const SealedValue = z.strictObject({
  fingerprint: Fingerprint,
  box: base64url(64, Math.ceil(((MAX_VALUE_BYTES + 48) * 4) / 3)),
});
export type SealedValue = z.infer<typeof SealedValue>;

/**
 * A variable to set. A secret is sent as its `value`, which is sealed before it is stored, or `sealed` for the revision
 * after the request's `revision`. `build`: whether builds get the secret too.
 */
export const SetVariable = z
  .strictObject({
    name: VariableName,
    value: z.optional(Value),
    sealed: z.optional(listBetween(SealedValue, 1, MAX_SEALED_FOR)),
    secret: z._default(z.boolean(), false),
    build: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      ({ value, sealed }) => (value === undefined) !== (sealed === undefined),
      "must have either value or sealed",
    ),
    // Not in SealedValue: orders have it too, and a refused order would never be sent.
    z.refine(({ sealed = [] }) => sealed.every(({ box }) => box.length % 4 !== 1), {
      path: ["sealed"],
      message: "has a box that is not base64url: it has one character too many or too few",
    }),
    z.refine(({ sealed, secret }) => sealed === undefined || secret, {
      path: ["secret"],
      message: "must be true for a sealed value",
    }),
    z.refine(({ build, secret }) => build === undefined || secret, {
      path: ["build"],
      message: "is for secrets only: builds get every other variable",
    }),
    z.refine(({ name, secret }) => name !== REPOSITORY_TOKEN || secret, {
      path: ["secret"],
      message: `must be true for ${REPOSITORY_TOKEN}`,
    }),
    z.refine(({ name, build }) => name !== REPOSITORY_TOKEN || build !== true, {
      path: ["build"],
      message: `must not be true for ${REPOSITORY_TOKEN}: only git gets it`,
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

/**
 * The variables of a project at its current revision; 0: none were ever set. `seal_key`: the key of the project's
 * server, null until its agent has connected. `not_sealed`: the secrets that this server cannot open, which have to be
 * entered again.
 */
export const Variables = z.strictObject({
  account_id: AccountId,
  project_id: ProjectId,
  server_id: ServerId,
  revision: wholeFrom(0),
  variables: z.array(Variable),
  seal_key: z.nullable(SealKey),
  not_sealed: z.array(z.string()),
});
export type Variables = z.infer<typeof Variables>;

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
