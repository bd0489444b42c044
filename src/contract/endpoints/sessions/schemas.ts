import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { TokenId } from "#contract/ids.ts";

const Code = textBetween(1, 200);

/**
 * Exactly one of the first four: the code of a sign-in link, the signature with a passkey, a recovery code, or the answer of a
 * provider. `invitation_code`: with the answer of a provider, to accept an invitation.
 */
export const CreateSessionInput = z
  .strictObject({
    code: z.optional(Code),
    passkey: z.optional(PasskeySignature),
    recovery_code: z.optional(Code),
    provider: z.optional(ProviderAnswer),
    invitation_code: z.optional(Code),
  })
  .check(
    z.refine(
      ({ code, passkey, recovery_code: recovery, provider }) =>
        [code, passkey, recovery, provider].filter((one) => one !== undefined).length === 1,
      "must have exactly one of code, passkey, recovery_code and provider",
    ),
    z.refine(
      ({ invitation_code: invitation, provider }) => invitation === undefined || provider !== undefined,
      "must have provider with invitation_code",
    ),
  );
export type CreateSessionInput = z.infer<typeof CreateSessionInput>;

/**
 * The response to a sign-in. `token` is the secret of the session, which is not shown again. `member`: who signed in; null: somebody
 * with a sign-in link that is nobody's. `sign_out_url`: where the provider ends its own session; null: it has none, or no provider
 * was asked.
 */
export const SessionCreated = z.strictObject({
  id: TokenId,
  token: z.string(),
  expires_at: z.string(),
  member: z.nullable(MemberReference),
  sign_out_url: z.nullable(z.string()),
});
export type SessionCreated = z.infer<typeof SessionCreated>;

/** What a person who is signed in asks for a passkey for. */
export const CreateChallengeInput = z.strictObject({ act: z.enum(["add_passkey", "confirm"]) });
export type CreateChallengeInput = z.infer<typeof CreateChallengeInput>;

/** Exactly one of them: the signature with a passkey, or the answer of a provider. */
export const ConfirmSessionInput = z
  .strictObject({ passkey: z.optional(PasskeySignature), provider: z.optional(ProviderAnswer) })
  .check(
    z.refine(
      ({ passkey, provider }) => (passkey === undefined) !== (provider === undefined),
      "must have exactly one of passkey and provider",
    ),
  );
export type ConfirmSessionInput = z.infer<typeof ConfirmSessionInput>;
