import { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { tokenFields } from "#contract/endpoints/tokens/texts.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const sessionTexts = {
  createSession: {
    summary: "Exchange the code of a sign-in link for a session",
    description: prose`
      Exchanges the code of a sign-in link for a session: a token with every scope that expires after 12 hours. The
      dashboard calls this endpoint; programs use an API token instead. A code works once, within 10 minutes.
      \`npm start\` prints a sign-in link, and \`npm run sign-in\` prints another one.

      An unknown, expired or used code gets 401. An address that sends too many such codes gets 429.`,
    body: { code: secrets.signIn },
    answer: { id: example.token, token: secrets.session, expires_at: "2026-11-20T21:14:02.310Z" },
    location: null,
  },
  endSession: {
    summary: "Sign out: end the current session",
    description: prose`
      Signs out: ends the session that sends the request. Parts of the network that have just checked the session can
      accept it for another 10 seconds. With an API token the response is 404, because an API token may be in use
      elsewhere; revoke it instead.`,
  },
} as const satisfies Partial<OperationTexts>;

export const sessionSchemas = {
  CreateSessionInput: object(CreateSessionInput, "The code of a sign-in link.", {
    code: "The part of the link after `#code=`.",
  }),
  SessionCreated: object(SessionCreated, "A session with its secret.", {
    id: tokenFields.id,
    token: tokenFields.token,
    expires_at: tokenFields.expires_at,
  }),
} satisfies Record<string, SchemaText>;
