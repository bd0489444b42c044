import { connectionEndpoints } from "#contract/endpoints/connections/endpoints.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import {
  createConnection,
  deleteConnection,
  updateConnection,
} from "#worker/operations/connections/change-connections.ts";
import { listConnections } from "#worker/operations/connections/list-connections.ts";
import { testConnection } from "#worker/operations/connections/test-connection.ts";
import { getSignInOptions } from "#worker/operations/sign-in/get-sign-in-options.ts";
import { startProvider, startSignIn } from "#worker/operations/sign-in/start-sign-in.ts";

export const connectionRoutes = forTokens(connectionEndpoints, {
  listConnections: (context) => answer(listConnections(context)),
  createConnection: (context, { body }) => answer(createConnection(context, body)),
  updateConnection: (context, { params, body }) =>
    answer(updateConnection(context, params.connection_id, body)),
  deleteConnection: (context, { params }) => answer(deleteConnection(context, params.connection_id)),
  testConnection: (context, { params, body }) => answer(testConnection(context, params.connection_id, body)),
  startProvider: (context, { body }) => answer(startProvider(context, body)),
});

export const providerRoutes = forAnyone(connectionEndpoints, {
  getSignInOptions: (context, { query }) => answer(getSignInOptions(context, query)),
  startSignIn: (context, { body }) => answer(startSignIn(context, body)),
});
