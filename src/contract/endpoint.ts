import type * as z from "zod";

import type { ProblemCode } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Who may call: `token` holders with the scope (`null`: any valid token), a server's `agent` with its credential,
 * or anyone (`none`).
 */
export type Access =
  | { readonly by: "token"; readonly scope: Scope | null }
  | { readonly by: "agent" }
  | { readonly by: "none" };

/** A media type that an answer comes in besides JSON. */
export type TextMediaType = "text/plain";

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
  readonly params: z.ZodType<Record<string, string>>;
  readonly query: z.ZodType<Record<string, unknown>> | null;
  /** A body that is left out is read as `{}`. */
  readonly body: z.ZodType | null;
  readonly maxBodyBytes: number;
  readonly success:
    | { readonly status: 200 | 201; readonly body: z.ZodType }
    | { readonly status: 204; readonly body: null };
  readonly alsoAs: readonly TextMediaType[];
  /** The problems of its own, besides those that every endpoint can give. */
  readonly problems: readonly ProblemCode[];
};
