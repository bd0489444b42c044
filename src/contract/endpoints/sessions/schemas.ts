import * as z from "zod/mini";

import { TokenId } from "#contract/ids.ts";

export const CreateSessionInput = z.strictObject({
  code: z.string().check(z.minLength(1), z.maxLength(200)),
});
export type CreateSessionInput = z.infer<typeof CreateSessionInput>;

/** The response to a sign-in. `token` is the secret of the session, which is not shown again. */
export const SessionCreated = z.strictObject({
  id: TokenId,
  token: z.string(),
  expires_at: z.string(),
});
export type SessionCreated = z.infer<typeof SessionCreated>;
