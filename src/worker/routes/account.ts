import { answer } from "#worker/http/answers.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { getAccount } from "#worker/operations/get-account.ts";
import { updateAccount } from "#worker/operations/update-account.ts";

export const accountHandlers = {
  getAccount: (context) => answer(getAccount(context)),
  updateAccount: (context, { body }) => answer(updateAccount(context, body)),
} satisfies Partial<TokenHandlers>;
