import type * as z from "zod/mini";

import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import type { Power, PowerOf } from "#contract/powers/scope-powers.ts";
import type { Scope } from "#contract/scopes.ts";

/** The operations that a token can call. */
export type TokenOperation = {
  [Name in OperationName]: Endpoints[Name]["access"]["by"] extends "token" ? Name : never;
}[OperationName];

type TokenAccess<Name extends TokenOperation> = Extract<Endpoints[Name]["access"], { by: "token" }>;
type ScopeOf<Name extends TokenOperation> = TokenAccess<Name>["scope"] & Scope;

/** The scopes with which a token that is limited to projects can do something. Only fields need an emergency's. */
type ProjectScope =
  | {
      [Name in TokenOperation]: TokenAccess<Name>["reach"] extends "projects" ? ScopeOf<Name> : never;
    }[TokenOperation]
  | "deployments:emergency";

/**
 * Marks a field with a power that the endpoint's scope does not grant. The caller needs this scope too, which grants it.
 * A project limit of the token is not compared again, so the scope must not be one for the whole account.
 */
export class NeedsToo<S extends ProjectScope> {
  readonly scope: S;
  readonly power: PowerOf<S>;

  constructor(scope: S, power: PowerOf<S>) {
    this.scope = scope;
    this.power = power;
  }
}
export type AnyNeedsToo = { [S in ProjectScope]: NeedsToo<S> }[ProjectScope];

/** The mark of a value: a power, `none`, or a mark for each field. `*`: of each element of a list or record. */
export type Mark = Power | "none" | AnyNeedsToo | FieldMarks;
export type FieldMarks = { readonly [Field in string]: Mark };

type Primitive = string | number | bigint | boolean | null | undefined;

/** The objects in a value; never: a value without fields, such as a list of texts. */
type Fielded<Value> = Value extends Primitive
  ? never
  : Value extends readonly (infer Element)[]
    ? Each<Element>
    : string extends keyof Value
      ? Each<Value[keyof Value]>
      : Value;
type Each<Element> = [Fielded<Element>] extends [never] ? never : { readonly "*": Element };

type KeysOf<Union> = Union extends unknown ? keyof Union & string : never;
type At<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

/**
 * The mark of a value of this type, in an endpoint with the scope. A power that the scope's words do not grant does not
 * compile, nor does an object in which a field has no mark.
 */
export type MarkOf<Own extends Scope, Value> =
  | PowerOf<Own>
  | AnyNeedsToo
  | (unknown extends Value
      ? never
      : [KeysOf<Fielded<Value>>] extends [never]
        ? "none"
        : { readonly [Key in KeysOf<Fielded<Value>>]-?: MarkOf<Own, At<Fielded<Value>, Key>> });

type InputOf<Schema> = Schema extends z.ZodMiniType ? z.input<Schema> : never;

/** What a request can contain besides its path. A read's query only selects rows. */
type Sent<Name extends TokenOperation> = Endpoints[Name]["method"] extends "GET"
  ? null
  : InputOf<Endpoints[Name]["body"]> | InputOf<Endpoints[Name]["query"]>;

/** The operations of which a scope says what a caller may do, and not that the caller is a person. */
type MarkedOperation = {
  [Name in TokenOperation]: TokenAccess<Name>["reach"] extends "person" ? never : Name;
}[TokenOperation];

/** A mark for each operation that a token can call. */
export type Marks = { readonly [Name in MarkedOperation]: MarkOf<ScopeOf<Name>, Sent<Name>> };
