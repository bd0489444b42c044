import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

const token = {
  id: example.token,
  kind: "token",
  name: "CI of shop",
  scopes: ["deployments:write", "projects:read"],
  project_ids: [example.project],
  created_at: "2026-11-02T08:20:00.000Z",
  rotated_at: null,
  expires_at: "2027-01-31T08:20:00.000Z",
  previous_expires_at: null,
  last_used_at: "2026-11-20T09:00:00.000Z",
} as const;

const account = {
  id: example.account,
  name: "Acme",
  log_retention_days: 90,
  token: {
    id: example.token,
    name: "CI of shop",
    scopes: ["deployments:write", "projects:read"],
    project_ids: [example.project],
    expires_at: "2027-01-31T08:20:00.000Z",
  },
} as const;

export const tokenTexts = {
  listTokens: {
    tag: "Tokens",
    description: prose`
      The account's tokens, the newest first, without their secrets; of revoked ones nothing is left. \`last_used_at\`
      is kept to the hour, so a token that nobody uses any more can be found and revoked. The sessions of people who
      have signed in to the dashboard are among them, marked \`session\`, so that one can be ended from elsewhere. A token that is limited to
      some projects sees only tokens that are limited to some of the same.`,
    body: null,
    answer: { tokens: [token], next_cursor: null },
  },
  createToken: {
    tag: "Tokens",
    description: prose`
      Makes a token. Its secret, \`token\`, is in this answer only: nobody can look it up later, because only a hash of
      it is kept.

      A token cannot hand out what it lacks: scopes that it has not, projects that it does not see, or no limit to
      projects where it has one are 403 \`insufficient_scope\`. An account holds at most 1,000 tokens (409
      \`too_many\`); expired ones count until they are revoked, and sessions do not.`,
    body: {
      name: "CI of shop",
      scopes: ["deployments:write", "projects:read"],
      project_ids: [example.project],
      expires_in_days: 90,
    },
    answer: { ...token, last_used_at: null, token: secrets.token },
    location: null,
  },
  rotateToken: {
    tag: "Tokens",
    description: prose`
      Gives a token a new secret, which is in this answer only, and begins its lifetime anew. The old secret goes on
      working for 24 hours, until \`previous_expires_at\`, so that it can be replaced wherever it is used; a secret
      from before that one stops at once. Name, scopes and limits stay as they are.

      A token that has leaked is to be revoked and not rotated, because the old secret can rotate it too. Like making
      one, rotating a token that may do more than the one that asks is 403 \`insufficient_scope\`. A session is not
      rotated (404).`,
    body: {},
    answer: {
      ...token,
      rotated_at: "2026-11-20T09:30:00.000Z",
      expires_at: "2027-02-18T09:30:00.000Z",
      previous_expires_at: "2026-11-21T09:30:00.000Z",
      token: secrets.token,
    },
  },
  revokeToken: {
    tag: "Tokens",
    description: prose`
      Ends a token, with all of its secrets. Where the network has just let it in, it can pass for 10 seconds more.

      The last token that can make any other (with \`tokens:write\`, not limited to projects, not expired, no session) stays: 409
      \`last_token\`, for nobody could get in to make another. Make that one first.`,
    body: null,
    answer: null,
  },
  getAccount: {
    tag: "Account",
    description: prose`
      The account that the token speaks for, and what the token may do. Any valid token may ask: it is the request to
      try a token with.`,
    body: null,
    answer: account,
  },
  updateAccount: {
    tag: "Account",
    description: prose`
      Changes settings of the account; what is left out stays as it is. They hold for all of its projects.

      \`log_retention_days\` counts for the logs that are there too: with fewer days, older ones are removed soon, and
      nothing brings them back. More days keep what has not been removed yet.`,
    body: { log_retention_days: 30 },
    answer: { ...account, log_retention_days: 30 },
  },
} as const satisfies Partial<OperationTexts>;
