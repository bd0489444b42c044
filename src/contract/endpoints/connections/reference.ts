import * as z from "zod/mini";

import { growing } from "#contract/growing.ts";
import { ConnectionId } from "#contract/ids.ts";

/** `oidc`: any provider of OpenID Connect. `github`: GitHub, which has its own protocol. */
export const ConnectionKind = z.enum(["oidc", "github"]);
export type ConnectionKind = z.infer<typeof ConnectionKind>;

/** What somebody who is not signed in may know of a connection. */
export const OfferedConnection = z.strictObject({
  id: ConnectionId,
  kind: growing(ConnectionKind),
  name: z.string(),
});
export type OfferedConnection = z.infer<typeof OfferedConnection>;
