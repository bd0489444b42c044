import {
  MAX_VALUES_BYTES,
  MAX_VARIABLES,
  type SetVariable,
  type UpdateVariablesInput,
} from "#contract/endpoints/variables/schemas.ts";
import { utf8Length } from "#contract/utf8-length.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { secretBytes, type StoredSecret, storedSecret } from "#domain/sealed-secret.ts";

/** A variable as it is stored. `value` is null for a secret, `sealed` for a plain variable. */
export type StoredVariable = {
  readonly name: string;
  readonly secret: boolean;
  readonly build: boolean;
  readonly value: string | null;
  readonly sealed: StoredSecret | null;
};

/** What a request changes: `set` without plain variables that have this value already, `removed` without missing ones. */
export type VariableChanges = { readonly set: readonly SetVariable[]; readonly removed: readonly string[] };

/** Compares a request with the current variables. Refuses too many variables, and too many bytes of values. */
export function decideChanges(
  current: readonly StoredVariable[],
  { set, remove }: Pick<UpdateVariablesInput, "set" | "remove">,
): Result<VariableChanges, "too_many"> {
  const before = new Map(current.map((one) => [one.name, one]));
  const removed = remove.filter((name) => before.has(name));
  const changed = set.flatMap((one) => {
    const old = before.get(one.name);
    if (!one.secret && old !== undefined && !old.secret && old.value === one.value) return [];
    // A new value alone does not change whether builds get the secret.
    return [{ ...one, build: one.secret && (one.build ?? old?.build ?? false) }];
  });
  const replaced = new Set([...removed, ...changed.map(({ name }) => name)]);
  const others = current.filter(({ name }) => !replaced.has(name));
  const count = others.length + changed.length;
  if (count > MAX_VARIABLES)
    return refuse("too_many", `The project would have ${count} variables. The maximum is ${MAX_VARIABLES}.`);
  const sizes = [
    ...others.map(({ value, sealed }) => valueBytes(value, sealed)),
    ...changed.map(({ value, sealed, ciphertext }) =>
      valueBytes(value ?? null, sealed === undefined ? null : storedSecret(sealed, ciphertext)),
    ),
  ];
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_VALUES_BYTES)
    return refuse(
      "too_many",
      `The values of the project's variables would have ${bytes} bytes. The maximum is ${MAX_VALUES_BYTES} bytes. Put large values into files on the server.`,
    );
  return succeed({ set: changed, removed });
}

/** @param sealed a secret's value, unless it is not sealed yet */
function valueBytes(value: string | null, sealed: StoredSecret | null): number {
  return value === null ? secretBytes(sealed ?? []) : utf8Length(value);
}
