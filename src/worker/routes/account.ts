import { accountEndpoints } from "#contract/endpoints/accounts/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import { getAccount, updateAccount } from "#worker/operations/accounts/account.ts";

export const accountRoutes = forTokens(accountEndpoints, {
  getAccount: (context) => answer(getAccount(context)),
  updateAccount: (context, { body }) => answer(updateAccount(context, body)),
});
