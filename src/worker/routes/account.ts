import { answer } from "#worker/http/answers.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { getAccount } from "#worker/operations/get-account.ts";

export const accountHandlers = {
  getAccount: (context) => answer(getAccount(context)),
} satisfies Partial<TokenHandlers>;
