import * as z from "zod";

import { AccountId, ProjectId, TokenId } from "#contract/ids.ts";
import { Scope } from "#contract/scopes.ts";

/** Who the token speaks for, and what it may do. */
export const Account = z.strictObject({
  id: AccountId,
  name: z.string(),
  token: z.strictObject({
    id: TokenId,
    name: z.string(),
    scopes: z.array(Scope),
    project_ids: z.array(ProjectId).nullable(),
    expires_at: z.string(),
  }),
});
export type Account = z.infer<typeof Account>;

export const Health = z.strictObject({ status: z.literal("ok") });
export type Health = z.infer<typeof Health>;
