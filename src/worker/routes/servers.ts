import { serverEndpoints } from "#contract/endpoints/servers/endpoints.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import { createEnrollment } from "#worker/operations/servers/enrollments.ts";
import { createServer, deleteServer, updateServer } from "#worker/operations/servers/change-servers.ts";
import { drainServer, undrainServer } from "#worker/operations/servers/drain-server.ts";
import { getServer, listServers } from "#worker/operations/servers/read-servers.ts";

export const serverRoutes = forTokens(serverEndpoints, {
  listServers: (context, { query, url }) => answerPage(listServers(context, query), url),
  createServer: (context, { body }) =>
    answer(createServer(context, body), ({ id }) => ({ location: `/v1/servers/${id}` })),
  getServer: (context, { params }) => answer(getServer(context, params.server_id)),
  updateServer: (context, { params, body }) => answer(updateServer(context, params.server_id, body)),
  deleteServer: (context, { params }) => answer(deleteServer(context, params.server_id)),
  drainServer: (context, { params }) => answer(drainServer(context, params.server_id)),
  undrainServer: (context, { params }) => answer(undrainServer(context, params.server_id)),
  createEnrollment: (context, { params }) => answer(createEnrollment(context, params.server_id)),
});
