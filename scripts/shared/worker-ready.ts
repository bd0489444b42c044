import * as z from "zod";

import { AccountId } from "#contract/ids.ts";

/** The message that serve.ts sends to its parent process when the Worker is ready. */
export const WorkerReady = z.strictObject({
  type: z.literal("ready"),
  url: z.string(),
  token: z.string(),
  account_id: AccountId,
  /** Signs in to the dashboard once, within SIGN_IN_MINUTES. */
  sign_in_code: z.string(),
});
export type WorkerReady = z.infer<typeof WorkerReady>;
