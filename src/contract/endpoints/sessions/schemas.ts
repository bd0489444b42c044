import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import { TokenId } from "#contract/ids.ts";

const Code = textBetween(1, 200);

/** Exactly one of them: the code of a sign-in link, the signature with a passkey, or a recovery code. */
export const CreateSessionInput = z
  .strictObject({
    code: z.optional(Code),
    passkey: z.optional(PasskeySignature),
    recovery_code: z.optional(Code),
  })
  .check(
    z.refine(
      (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
      "must have exactly one of code, passkey and recovery_code",
    ),
  );
export type CreateSessionInput = z.infer<typeof CreateSessionInput>;

/**
 * The response to a sign-in. `token` is the secret of the session, which is not shown again. `member`: who signed in; null: somebody
 * with a sign-in link that is nobody's.
 */
export const SessionCreated = z.strictObject({
  id: TokenId,
  token: z.string(),
  expires_at: z.string(),
  member: z.nullable(MemberReference),
});
export type SessionCreated = z.infer<typeof SessionCreated>;

/** What a person who is signed in asks for a passkey for. */
export const CreateChallengeInput = z.strictObject({ act: z.enum(["add_passkey", "confirm"]) });
export type CreateChallengeInput = z.infer<typeof CreateChallengeInput>;

export const ConfirmSessionInput = z.strictObject({ passkey: PasskeySignature });
export type ConfirmSessionInput = z.infer<typeof ConfirmSessionInput>;
