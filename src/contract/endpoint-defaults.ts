import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const NoParams = z.strictObject({});

/** By the holder of a token with that scope. */
export const token = (scope: Scope | null) => ({ by: "token", scope }) as const;

/** What most endpoints have. */
export const plain = {
  query: null,
  body: null,
  maxBodyBytes: MAX_BODY_BYTES,
  alsoAs: [],
  problems: [],
} as const;
