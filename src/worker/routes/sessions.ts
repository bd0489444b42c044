import { answer } from "#worker/http/responses.ts";
import type { OpenHandlers, TokenHandlers } from "#worker/http/handler.ts";
import { createSession, endSession } from "#worker/operations/sessions/sessions.ts";

export const signInHandlers = {
  createSession: (context, { body }) => answer(createSession(context, body)),
} satisfies Partial<OpenHandlers>;

export const sessionHandlers = {
  endSession: (context) => answer(endSession(context)),
} satisfies Partial<TokenHandlers>;
