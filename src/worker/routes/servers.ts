import { answer, answerPage } from "#worker/http/responses.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { createEnrollment } from "#worker/operations/servers/create-enrollment.ts";
import { createServer } from "#worker/operations/servers/create-server.ts";
import { deleteServer } from "#worker/operations/servers/delete-server.ts";
import { getServer } from "#worker/operations/servers/get-server.ts";
import { listServers } from "#worker/operations/servers/list-servers.ts";
import { updateServer } from "#worker/operations/servers/update-server.ts";

export const serverHandlers = {
  listServers: (context, { query, url }) => answerPage(listServers(context, query), url),
  createServer: (context, { body }) =>
    answer(createServer(context, body), ({ id }) => ({ location: `/v1/servers/${id}` })),
  getServer: (context, { params }) => answer(getServer(context, params.server_id)),
  updateServer: (context, { params, body }) => answer(updateServer(context, params.server_id, body)),
  deleteServer: (context, { params }) => answer(deleteServer(context, params.server_id)),
  createEnrollment: (context, { params }) => answer(createEnrollment(context, params.server_id)),
} satisfies Partial<TokenHandlers>;
