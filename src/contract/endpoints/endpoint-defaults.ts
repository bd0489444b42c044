import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const NoParams = z.strictObject({});

/** For tokens with this scope. A token that is limited to projects can access only those. */
export const token = (scope: Scope | null) => ({ by: "token", scope, reach: "projects" }) as const;

/** For tokens with this scope and without a project limit: the endpoint changes something outside of projects. */
export const accountToken = (scope: Scope) => ({ by: "token", scope, reach: "account" }) as const;

/** The values of most endpoints. */
export const plain = {
  query: null,
  body: null,
  maxBodyBytes: MAX_BODY_BYTES,
  alsoAs: [],
  problems: [],
} as const;
