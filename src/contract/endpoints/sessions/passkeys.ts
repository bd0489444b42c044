import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";

/** An id of at most 1,023 bytes in base64url. Source: WebAuthn Level 3, section 4. */
const CredentialId = textBetween(1, 1_364);
const Encoded = textBetween(1, 16_384);

/**
 * What `PublicKeyCredential.toJSON()` gives for a new passkey. All bytes are in base64url. Browsers add fields, which are not read.
 */
export const NewPasskey = z.object({
  id: CredentialId,
  response: z.object({ clientDataJSON: Encoded, attestationObject: Encoded }),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** The same for a signature with a passkey. */
export const PasskeySignature = z.object({
  id: CredentialId,
  response: z.object({ clientDataJSON: Encoded, authenticatorData: Encoded, signature: Encoded }),
});
export type PasskeySignature = z.infer<typeof PasskeySignature>;

/**
 * What a page passes to the browser to ask for a passkey. `credential_ids`: to confirm, the passkeys that the person has; to add
 * one, the passkeys that exist already; to sign in, empty, because the browser offers what it has. `user`: whom a new passkey is
 * for; null: none is made.
 */
export const PasskeyChallenge = z.strictObject({
  challenge: z.string(),
  rp_id: z.string(),
  credential_ids: z.array(z.string()),
  algorithms: z.array(z.int()),
  user: z.nullable(z.strictObject({ id: z.string(), name: z.string(), display_name: z.string() })),
  expires_at: z.string(),
});
export type PasskeyChallenge = z.infer<typeof PasskeyChallenge>;
