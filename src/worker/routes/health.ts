import { answer } from "#worker/http/answers.ts";
import type { OpenHandlers } from "#worker/http/handler.ts";
import { getHealth } from "#worker/operations/get-health.ts";

export const healthHandlers = {
  getHealth: (context) => answer(getHealth(context)),
} satisfies Partial<OpenHandlers>;
