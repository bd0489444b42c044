import * as z from "zod/mini";

import type { Access, Method } from "#contract/endpoints/endpoint.ts";
import type { Scope } from "#contract/scopes.ts";

const MAX_BODY_BYTES = 64 * 1024;
const NoParams = z.strictObject({});

/** For tokens with this scope. A token that is limited to projects can access only those. */
export const token = <const Needed extends Scope | null>(scope: Needed) =>
  ({ by: "token", scope, reach: "projects" }) as const;

/** For tokens with this scope and without a project limit: the endpoint changes something outside of projects. */
export const accountToken = <const Needed extends Scope>(scope: Needed) =>
  ({ by: "token", scope, reach: "account" }) as const;

/** For a member who is signed in. */
export const person = { by: "token", scope: null, reach: "person" } as const;

/** Makes the first fields of a row: the request line, who can call it, and the values that most endpoints have. */
const rowFor =
  <const M extends Method>(method: M) =>
  <const Path extends string, By extends Access>(path: Path, access: By) =>
    ({
      method,
      path,
      access,
      params: NoParams,
      query: null,
      body: null,
      maxBodyBytes: MAX_BODY_BYTES,
      takes: "json",
      isOAuth: false,
      alsoAs: [],
      problems: [],
    }) as const;

export const get = rowFor("GET");
export const post = rowFor("POST");
/** The body is bytes, which are stored. */
export const put = <const Path extends string, By extends Access>(path: Path, access: By) =>
  ({ ...rowFor("PUT")(path, access), takes: "bytes" }) as const;
export const patch = rowFor("PATCH");
export const remove = rowFor("DELETE");
