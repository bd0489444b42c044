import { answer } from "#worker/http/responses.ts";
import type { OpenHandlers, TokenHandlers } from "#worker/http/handler.ts";
import { createSession } from "#worker/operations/sessions/create-session.ts";
import { endSession } from "#worker/operations/sessions/end-session.ts";

export const signInHandlers = {
  createSession: (context, { body }) => answer(createSession(context, body)),
} satisfies Partial<OpenHandlers>;

export const sessionHandlers = {
  endSession: (context) => answer(endSession(context)),
} satisfies Partial<TokenHandlers>;
