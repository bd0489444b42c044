import * as z from "zod/mini";

import { textBetween, textLike } from "#contract/bounds.ts";
import { isConnectCode, THIRTY_TWO_BYTES } from "#contract/endpoints/connect/connect-code.ts";
import { CreateTokenInput } from "#contract/endpoints/tokens/schemas.ts";
import { TokenId } from "#contract/ids.ts";

/** How long a command can take the token after a person has allowed it, and how long a command waits for that. */
export const CONNECT_MINUTES = 10;

/** The maximum number of a member's grants that no command has taken. */
export const MAX_PENDING_CONNECTS = 20;

const Secret = textLike(THIRTY_TWO_BYTES, "must be 32 bytes in base64url, without padding");

/**
 * The token that a person allows a command to take. `challenge`: SHA-256 of the command's verifier, in base64url. `code`: what the
 * command shows for it. `proof_challenge`: SHA-256 of a proof that the command needs too; null: it needs none.
 */
export const ConnectInput = z
  .strictObject({
    challenge: Secret,
    code: textBetween(1, 20),
    proof_challenge: z._default(z.nullable(Secret), null),
    ...CreateTokenInput.shape,
  })
  .check(
    z.refine(({ challenge, code }) => isConnectCode(code, challenge), {
      path: ["code"],
      message: "is not the code that the command shows",
    }),
  );
export type ConnectInput = z.infer<typeof ConnectInput>;

/** A token that waits for its command. */
export const ConnectGrant = z.strictObject({ expires_at: z.string() });
export type ConnectGrant = z.infer<typeof ConnectGrant>;

/** `proof`: if the person's page made one. Both are 32 bytes in base64url. */
export const ClaimTokenInput = z.strictObject({ verifier: Secret, proof: z.optional(Secret) });
export type ClaimTokenInput = z.infer<typeof ClaimTokenInput>;

/** A personal token. `token` is the secret, which is not shown again. */
export const ClaimedToken = z.strictObject({ id: TokenId, token: z.string(), expires_at: z.string() });
export type ClaimedToken = z.infer<typeof ClaimedToken>;
