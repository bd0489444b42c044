import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { createHook, deleteHook, rotateHook } from "#worker/operations/hooks/change-hooks.ts";
import { getHook, listHooks } from "#worker/operations/hooks/read-hooks.ts";
import { listHookPushes, listProjectPushes } from "#worker/operations/pushes/list-pushes.ts";
import { receiveDelivery } from "#worker/operations/pushes/receive-delivery.ts";
import { replayPush } from "#worker/operations/pushes/replay-push.ts";

export const hookRoutes = forTokens(hookEndpoints, {
  listHooks: (context, { query, url }) => answerPage(listHooks(context, query), url),
  createHook: (context, { body }) =>
    answer(createHook(context, body), ({ id }) => ({ location: `/v1/hooks/${id}` })),
  getHook: (context, { params }) => answer(getHook(context, params.hook_id)),
  rotateHook: (context, { params, body }) => answer(rotateHook(context, params.hook_id, body)),
  deleteHook: (context, { params }) => answer(deleteHook(context, params.hook_id)),
  listHookPushes: (context, { params, query, url }) =>
    answerPage(listHookPushes(context, params.hook_id, query), url),
  replayPush: (context, { params }) => answer(replayPush(context, params.hook_id, params.push_id)),
  listProjectPushes: (context, { params, query, url }) =>
    answerPage(listProjectPushes(context, params.project_id, query), url),
});

export const deliveryRoutes = forAnyone(hookEndpoints, {
  receiveDelivery: (context, { params }) => answer(receiveDelivery(context, params.hook_id)),
});
