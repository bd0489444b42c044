import { answer } from "#worker/http/responses.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { getAccount, updateAccount } from "#worker/operations/accounts/account.ts";

export const accountHandlers = {
  getAccount: (context) => answer(getAccount(context)),
  updateAccount: (context, { body }) => answer(updateAccount(context, body)),
} satisfies Partial<TokenHandlers>;
