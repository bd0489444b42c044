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

/** The setting in a request: without servers in front of a project unless Gantry's balancer is one. */
export const NewEntry = Entry.check(
  z.superRefine(({ type, balancers, sticky }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (type === "balancer" && balancers.length === 0) refuse(["balancers"], "must name one or two servers");
    if (type !== "balancer" && balancers.length > 0)
      refuse(["balancers"], "must be empty unless type is balancer");
    const again = balancers.findIndex((id, at) => balancers.indexOf(id) !== at);
    if (again !== -1) refuse(["balancers", again], "is named twice");
    if (type !== "balancer" && sticky) refuse(["sticky"], "must be false unless type is balancer");
  }),
);
