import * as z from "zod";

import { AccountId } from "#contract/ids.ts";

/** What serve.ts tells the process that started it, once the Worker answers and its database is migrated. */
export const WorkerReady = z.strictObject({
  type: z.literal("ready"),
  url: z.string(),
  token: z.string(),
  account_id: AccountId,
  /** Signs in to the dashboard, once, for a while. */
  sign_in_code: z.string(),
});
export type WorkerReady = z.infer<typeof WorkerReady>;
