import { sessionEndpoints } from "#contract/endpoints/sessions/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { createSession, endSession } from "#worker/operations/sessions/sessions.ts";

export const signInRoutes = forAnyone(sessionEndpoints, {
  createSession: (context, { body }) => answer(createSession(context, body)),
});

export const sessionRoutes = forTokens(sessionEndpoints, {
  endSession: (context) => answer(endSession(context)),
});
