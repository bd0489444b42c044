import { connectEndpoints } from "#contract/endpoints/connect/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { claimToken, connectCommand } from "#worker/operations/connect/connect-command.ts";

export const connectRoutes = forTokens(connectEndpoints, {
  connectCommand: (context, { body }) => answer(connectCommand(context, body)),
});

export const claimRoutes = forAnyone(connectEndpoints, {
  claimToken: (context, { body }) => answer(claimToken(context, body)),
});
