import * as z from "zod/mini";

import { TokenId } from "#contract/ids.ts";

/** A code out of a sign-in link. */
export const CreateSessionInput = z.strictObject({
  code: z.string().check(z.minLength(1), z.maxLength(200)),
});
export type CreateSessionInput = z.infer<typeof CreateSessionInput>;

/** What signing in answers with: `token` is the session's secret, which is never shown again. */
export const SessionCreated = z.strictObject({
  id: TokenId,
  token: z.string(),
  expires_at: z.string(),
});
export type SessionCreated = z.infer<typeof SessionCreated>;
