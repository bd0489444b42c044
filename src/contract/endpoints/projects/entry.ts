import * as z from "zod/mini";

import { listUpTo } from "#contract/bounds.ts";
import { ServerId } from "#contract/ids.ts";

/** The maximum number of servers that stand in front of a project. */
export const MAX_BALANCERS = 2;

export const EntryType = z.enum(["each", "balancer", "own"]);
export type EntryType = z.infer<typeof EntryType>;

/**
 * How visitors reach the servers of a project. `each`: each server answers for the domain. `balancer`: the ingress of
 * `balancers` does, and sends requests to the servers. `own`: a load balancer that is not Gantry's.
 * `sticky`: whether `balancers` send a visitor to the same server again, by a cookie.
 */
export const Entry = z.strictObject({
  type: z._default(EntryType, "each"),
  balancers: z._default(listUpTo(ServerId, MAX_BALANCERS), []),
  sticky: z._default(z.boolean(), false),
});
export type Entry = z.infer<typeof Entry>;
