import { sessionEndpoints } from "#contract/endpoints/sessions/endpoints.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { createChallenge, createSignInChallenge } from "#worker/operations/sessions/challenges.ts";
import { confirmSession } from "#worker/operations/sessions/confirmation.ts";
import { endSession } from "#worker/operations/sessions/end-session.ts";
import { createSession } from "#worker/operations/sessions/sign-in.ts";

export const signInRoutes = forAnyone(sessionEndpoints, {
  createSignInChallenge: (context) => answer(createSignInChallenge(context)),
  createSession: (context, { body }) => answer(createSession(context, body)),
});

export const sessionRoutes = forTokens(sessionEndpoints, {
  createChallenge: (context, { body }) => answer(createChallenge(context, body)),
  confirmSession: (context, { body }) => answer(confirmSession(context, body)),
  endSession: (context) => answer(endSession(context)),
});
