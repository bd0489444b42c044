import { NewPasskey, PasskeyChallenge, PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import * as schemas from "#contract/endpoints/sessions/schemas.ts";
import { tokenFields } from "#contract/endpoints/tokens/texts.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const challenge = {
  challenge: "VGhpc0lzT25seUFuRXhhbXBsZU5vdEFDaGFsbGVuZ2U",
  rp_id: "gantry.example.com",
  credential_ids: [],
  algorithms: [-8, -7, -257],
  user: null,
  expires_at: "2026-11-20T09:19:02.000Z",
} as const;

/** A challenge for a new passkey. Also for invitations. */
export const exampleChallenge = {
  ...challenge,
  user: { id: "RXhhbXBsZVVzZXI", name: "Acme", display_name: "Acme" },
} as const;

/** Also for members. */
export const exampleNewPasskey = {
  id: "RXhhbXBsZUNyZWRlbnRpYWw",
  response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
} as const;

const signature = {
  id: "RXhhbXBsZUNyZWRlbnRpYWw",
  response: {
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
    authenticatorData: "RXhhbXBsZURhdGE",
    signature: "MEQCIExample",
  },
} as const;

export const sessionTexts = {
  createSignInChallenge: {
    summary: "Get a challenge to sign in with a passkey",
    description: prose`
      Returns what a page passes to \`navigator.credentials.get\` to sign somebody in: nobody has to say who they are. The challenge
      counts for 5 minutes and once. Passkeys belong to a host name: at an address with an IP number the response is 409
      \`host_name_required\`.`,
    body: {},
    answer: challenge,
  },
  createSession: {
    summary: "Sign in: with a passkey, by a provider, a sign-in link or a recovery code",
    description: prose`
      Signs in. The dashboard calls this endpoint; programs use an API token instead. The body has exactly one of:

      - \`passkey\`: the answer of a passkey to a challenge of \`POST /v1/sign-in/challenge\`. The session is the member's, for 12 hours.
      - \`code\`: the code of a sign-in link, which works once, within 10 minutes. \`npm start\` prints a link, and \`npm run sign-in\`
        prints another one. The session has every scope and is nobody's, for 12 hours. If the account has an owner, the event
        \`account.link_used\` announces it.
      - \`recovery_code\`: a recovery code of a member, which works once. The session lasts 15 minutes and can only add a passkey.

      - \`provider\`: the answer of a provider to \`POST /v1/sign-in/start\`. The session is the member's. With
        \`invitation_code\`, or if the connection lets people join, it makes the person a member first.

      If the account requires single sign-on, passkeys and recovery codes of members who are not owners get 403 \`sso_required\`.

      An unknown, expired or used code gets 401, and a passkey that is unknown or whose answer is wrong 403 \`invalid_passkey\`. An
      address that sends too many of them gets 429.`,
    body: { code: secrets.signIn },
    answer: {
      id: example.token,
      token: secrets.session,
      expires_at: "2026-11-20T21:14:02.310Z",
      member: null,
      sign_out_url: null,
    },
    location: null,
  },
  createChallenge: {
    summary: "Get a challenge to add a passkey or to confirm",
    description: prose`
      Returns what a page passes to the browser to add a passkey or to confirm the session, for somebody who is signed in. The challenge
      counts for 5 minutes, once, and only in this session. To add a passkey, the session must be confirmed (403
      \`reauthentication_required\`), or be one by a recovery code.`,
    body: { act: "add_passkey" },
    answer: exampleChallenge,
  },
  confirmSession: {
    summary: "Confirm the session with a passkey or by a provider",
    description: prose`
      Confirms the session by the answer of a passkey to a challenge of \`POST /v1/session/challenge\` with the act \`confirm\`, or of
      a provider to \`POST /v1/session/provider\` with that act. For the next 10 minutes, the session may do what needs a confirmation (403 \`reauthentication_required\`). A sign-in with a passkey
      or by a provider confirms it too.`,
    body: { passkey: signature },
  },
  endSession: {
    summary: "Sign out: end the current session",
    description: prose`
      Signs out: ends the session that sends the request. Parts of the network that have just checked the session can
      accept it for another 10 seconds. With an API token the response is 404, because an API token may be in use
      elsewhere; revoke it instead.`,
  },
} as const satisfies Partial<OperationTexts>;

const clientData = "What the browser was asked, as JSON in base64url.";

const passkeySignature = "The answer of a passkey, as the browser's `PublicKeyCredential.toJSON()` gives it.";

export const sessionSchemas = {
  NewPasskey: object(NewPasskey, "A new passkey, as `PublicKeyCredential.toJSON()` gives it.", {
    id: "The id of the credential, in base64url.",
    response: "The answer of the authenticator.",
    ...nested("response", {
      clientDataJSON: clientData,
      attestationObject: "The public key, in CBOR and base64url.",
    }),
  }),
  PasskeySignature: object(
    PasskeySignature,
    "The answer of a passkey, as `PublicKeyCredential.toJSON()` gives it.",
    {
      id: "The id of the credential, in base64url.",
      response: "The answer of the authenticator.",
      ...nested("response", {
        clientDataJSON: clientData,
        authenticatorData: "What the authenticator says of the ceremony, in base64url.",
        signature: "The signature of both, in base64url.",
      }),
    },
  ),
  ProviderAnswer: object(ProviderAnswer, "What a provider has sent back to the callback page.", {
    query: "The query of the page's address, with `code` and `state`.",
    binding: "The secret of the browser's tab that has started, whose SHA-256 was sent then.",
  }),
  PasskeyChallenge: object(PasskeyChallenge, "What a page asks the browser for.", {
    challenge: "The bytes to sign, in base64url.",
    rp_id: "The host name that passkeys belong to.",
    credential_ids:
      "To confirm: the passkeys of the person. To add one: the passkeys that the person has already. To sign in: empty.",
    algorithms: "The algorithms that a new passkey may use, by their COSE numbers, the best first.",
    user: "Whom a new passkey is for. `null`: none is made.",
    ...nested("user", {
      id: "Random bytes in base64url.",
      name: "The account's name.",
      display_name: "The name that the browser shows with the passkey.",
    }),
    expires_at: "Until when an answer counts.",
  }),
  CreateSessionInput: object(schemas.CreateSessionInput, "How somebody signs in. Exactly one field.", {
    code: "Only to sign in by a link: the part of the link after `#code=`.",
    passkey:
      "Only to sign in with a passkey: its answer, as the browser's `PublicKeyCredential.toJSON()` gives it.",
    recovery_code: "Only to sign in by a recovery code: the code.",
    provider: "Only to sign in by a provider: its answer.",
    invitation_code: "Only with `provider`, to accept an invitation: the part of its link after `#code=`.",
  }),
  SessionCreated: object(schemas.SessionCreated, "A session with its secret.", {
    id: tokenFields.id,
    token: tokenFields.token,
    expires_at: tokenFields.expires_at,
    member: "Who has signed in. `null`: somebody with a sign-in link.",
    sign_out_url:
      "Where the provider ends its own session, to open after signing out. `null`: it has no such page, or the sign-in was not by a provider.",
  }),
  CreateChallengeInput: object(schemas.CreateChallengeInput, "What the passkey is for.", {
    act: "`add_passkey` for a new one, `confirm` for an existing one.",
  }),
  ConfirmSessionInput: object(schemas.ConfirmSessionInput, "The confirmation. Exactly one field.", {
    passkey: passkeySignature,
    provider: "The answer of a provider.",
  }),
} satisfies Record<string, SchemaText>;
