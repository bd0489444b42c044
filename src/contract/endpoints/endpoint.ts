import type * as z from "zod/mini";

import "#contract/issue-messages.ts";
import type { ProblemCode } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Who may call: `token` holders with the scope (`null`: any valid token), a server's `agent` with its credential,
 * or anyone (`none`). An endpoint whose reach is the `account` refuses tokens that are limited to projects.
 */
export type Access =
  | { readonly by: "token"; readonly scope: Scope | null; readonly reach: "projects" | "account" }
  | { readonly by: "agent" }
  | { readonly by: "none" };

/** The scope that an endpoint takes; null where it takes none. */
export function scopeOf(access: Access): Scope | null {
  return access.by === "token" ? access.scope : null;
}

/** A media type that an answer comes in besides JSON: it is sent while it is read, so nobody knows its tag beforehand. */
export type StreamedMediaType = "text/plain" | "application/x-ndjson" | "text/event-stream";

/**
 * One operation of the HTTP interface: all that routing, validation, authorisation, the client, the API document
 * and the tests that walk every endpoint need to know of it.
 */
export type Endpoint = {
  readonly method: Method;
  /** With `:name` for each path parameter; `params` has a schema of the same name. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly params: z.ZodMiniType<Record<string, string>>;
  readonly query: z.ZodMiniType<Record<string, unknown>> | null;
  /** A body that is left out is read as `{}`. */
  readonly body: z.ZodMiniType | null;
  readonly maxBodyBytes: number;
  readonly success:
    | { readonly status: 200 | 201; readonly body: z.ZodMiniType }
    | { readonly status: 204; readonly body: null };
  readonly alsoAs: readonly StreamedMediaType[];
  /** The problems of its own, besides those that every endpoint can give. */
  readonly problems: readonly ProblemCode[];
};

/** What a schema of the table makes of its input; null where the table has none. */
export type OutputOf<Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? z.output<Schema>
  : null;

export type Parsed<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: z.core.$ZodError };

/** Parses a value with a schema of the table; where there is none, nothing is wrong with it. */
// Overloaded because TypeScript does not follow a conditional type into the body of a generic function.
export function parseWith<Schema extends z.ZodMiniType | null>(
  schema: Schema,
  value: unknown,
): Parsed<OutputOf<Schema>>;
export function parseWith(schema: z.ZodMiniType | null, value: unknown): Parsed<unknown> {
  return schema === null ? { success: true, data: null } : schema.safeParse(value);
}
