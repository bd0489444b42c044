import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

export const sessionTexts = {
  createSession: {
    tag: "Tokens",
    description: prose`
      What the dashboard does with a sign-in link: trades the code in it for a session, a token with every scope that
      lives for 12 hours. A code works once, for 10 minutes; \`npm start\` prints one, \`npm run sign-in\` makes
      another. Programs use a token instead.

      A code that is unknown, expired or spent is 401, and an address that sends too many of them has to wait (429).`,
    body: { code: secrets.signIn },
    answer: { id: example.token, token: secrets.session, expires_at: "2026-11-20T21:14:02.310Z" },
    location: null,
  },
  endSession: {
    tag: "Tokens",
    description: prose`
      Ends the session that asks. Where the network has just let it in, it can pass for 10 seconds more. A token that
      is no session stays, for others may use it, and gets 404.`,
    body: null,
    answer: null,
  },
} as const satisfies Partial<OperationTexts>;
