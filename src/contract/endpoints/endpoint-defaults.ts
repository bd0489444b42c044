import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const NoParams = z.strictObject({});

/** By the holder of a token with that scope. A token that is limited to projects sees only those. */
export const token = (scope: Scope | null) => ({ by: "token", scope, reach: "projects" }) as const;

/** The same, but refused to tokens that are limited to projects: what it changes is not part of any project. */
export const accountToken = (scope: Scope) => ({ by: "token", scope, reach: "account" }) as const;

/** What most endpoints have. */
export const plain = {
  query: null,
  body: null,
  maxBodyBytes: MAX_BODY_BYTES,
  alsoAs: [],
  problems: [],
} as const;
