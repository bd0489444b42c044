import { connectCode } from "#contract/endpoints/connect/connect-code.ts";
import * as schemas from "#contract/endpoints/connect/schemas.ts";
import { tokenFields } from "#contract/endpoints/tokens/texts.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const verifier = "TheVerifierOfTheExampleIsNotASecretAtAll000";
/** SHA-256 of the verifier. */
const challenge = "S_eF2OHUBZZ_CvcNtgGTCfaSka-9XWmhNlUiOKn5ikE";

export const connectTexts = {
  connectCommand: {
    summary: "Allow a command to take a personal token",
    description: prose`
      The page that \`gantry login\` opens calls it: the command has made a random verifier, and the page has its SHA-256, the
      \`challenge\`. A command that sends the verifier to \`POST /v1/tokens/claim\` in the next ${schemas.CONNECT_MINUTES} minutes gets a
      token of the person of the session, with these scopes and projects, as far as the person has them.

      \`code\` is what the command shows, and the person types it: so nobody can send you the page of their own command. It is the first 40
      bits of the challenge in Crockford's base32. With \`proof_challenge\`, the command must also send the proof of which this is the
      SHA-256: the page gives it only to a program on the same machine.

      The session must be confirmed (403 \`reauthentication_required\`). A person can have ${schemas.MAX_PENDING_CONNECTS} tokens that wait for
      their command (409 \`too_many\`).`,
    body: {
      challenge,
      code: connectCode(challenge),
      name: "laptop",
      scopes: ["deployments:write", "projects:read"],
      expires_in_days: 90,
    },
    answer: { expires_at: "2026-11-20T09:24:02.000Z" },
    location: null,
  },
  claimToken: {
    summary: "Take the token that a person has allowed",
    description: prose`
      Exchanges the verifier of a command for the token that a person has allowed by \`POST /v1/tokens/connect\`. It works once, and only this
      response contains the token.

      Until the person has allowed it, the response is 409 \`sign_in_pending\`: call it again after two seconds. It is the same for a
      verifier that is unknown, expired or used, and without the right proof.`,
    body: { verifier },
    answer: { id: example.token, token: secrets.token, expires_at: "2027-02-18T09:14:02.000Z" },
  },
} as const satisfies Partial<OperationTexts>;

const { name, scopes, project_ids, expires_at, id, token } = tokenFields;

export const connectSchemas = {
  ConnectInput: object(schemas.ConnectInput, "The token that a command may take.", {
    challenge: "SHA-256 of the command's verifier, in base64url.",
    code: "The eight characters that the command shows, as the person typed them.",
    proof_challenge:
      "SHA-256 of a proof that the command must send too, in base64url. `null`: it needs none.",
    ...{ name, scopes, project_ids },
    expires_in_days: "The token's lifetime in days.",
  }),
  ConnectGrant: object(schemas.ConnectGrant, "A token that waits for its command.", {
    expires_at: "Until when the command can take it.",
  }),
  ClaimTokenInput: object(schemas.ClaimTokenInput, "What the command has.", {
    verifier: "The 32 random bytes of the command, in base64url.",
    proof: "Only if the person allowed it with `proof_challenge`: the proof from the page, in base64url.",
  }),
  ClaimedToken: object(schemas.ClaimedToken, "The token of the command.", { id, token, expires_at }),
} satisfies Record<string, SchemaText>;
