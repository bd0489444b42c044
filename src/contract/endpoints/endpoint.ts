import type * as z from "zod/mini";

import type { ProblemCode } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who can call an endpoint: a client with a `token` that has the scope (`null`: any valid token), an `agent` with its
 * credential, or everyone (`none`). An endpoint with the reach `account` refuses tokens that are limited to projects, and an endpoint
 * for a `person` refuses all but the session of a member.
 */
export type Access =
  | {
      readonly by: "token";
      readonly scope: Scope | null;
      readonly reach: "projects" | "account" | "person";
    }
  | { readonly by: "agent" }
  | { readonly by: "none" };

/** The scope that an endpoint requires; null if it requires none. */
export function scopeOf(access: Access): Scope | null {
  return access.by === "token" ? access.scope : null;
}

/** A media type besides JSON. Such a response is streamed, so it cannot have an ETag. */
export type StreamedMediaType = "text/plain" | "application/x-ndjson" | "text/event-stream";

/**
 * One operation of the HTTP API. Routing, validation, authorisation, the client, the API reference and the tests of
 * all endpoints follow from it.
 */
export type Endpoint = {
  readonly method: Method;
  /** With `:name` for each path parameter. `params` has a field of the same name. */
  readonly path: string;
  readonly access: Access;
  readonly params: z.ZodMiniType<Record<string, string>>;
  readonly query: z.ZodMiniType<Record<string, unknown>> | null;
  /** A missing body is read as `{}`. */
  readonly body: z.ZodMiniType | null;
  readonly maxBodyBytes: number;
  /** What the body is: JSON for `body`, or bytes of any kind, which the handler gets as a stream. */
  readonly takes: "json" | "bytes";
  /** Whether clients of OAuth 2.0 call it: the body may also be a form, and problems have the `error` of RFC 6749. */
  readonly isOAuth: boolean;
  readonly success:
    | { readonly status: 200 | 201; readonly body: z.ZodMiniType }
    | { readonly status: 204; readonly body: null };
  readonly alsoAs: readonly StreamedMediaType[];
  /** The problems that not every endpoint can return. */
  readonly problems: readonly ProblemCode[];
};

/** The parsed type of a schema in the table; null if the table has no schema. */
export type OutputOf<Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? z.output<Schema>
  : null;

export type Parsed<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: z.core.$ZodError };

/** Parses a value with a schema of the table. Without a schema, every value is accepted. */
// An overload, because TypeScript does not resolve a conditional type inside a generic function.
export function parseWith<Schema extends z.ZodMiniType | null>(
  schema: Schema,
  value: unknown,
): Parsed<OutputOf<Schema>>;
export function parseWith(schema: z.ZodMiniType | null, value: unknown): Parsed<unknown> {
  return schema === null ? { success: true, data: null } : schema.safeParse(value);
}
