import type { OpenHandlers, TokenHandlers } from "#worker/http/handler.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { createHook } from "#worker/operations/hooks/create-hook.ts";
import { deleteHook } from "#worker/operations/hooks/delete-hook.ts";
import { getHook } from "#worker/operations/hooks/get-hook.ts";
import { listHooks } from "#worker/operations/hooks/list-hooks.ts";
import { rotateHook } from "#worker/operations/hooks/rotate-hook.ts";
import { listHookPushes, listProjectPushes } from "#worker/operations/pushes/list-pushes.ts";
import { receiveDelivery } from "#worker/operations/pushes/receive-delivery.ts";
import { replayPush } from "#worker/operations/pushes/replay-push.ts";

export const hookHandlers = {
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
} satisfies Partial<TokenHandlers>;

export const deliveryHandlers = {
  receiveDelivery: (context, { params }) => answer(receiveDelivery(context, params.hook_id)),
} satisfies Partial<OpenHandlers>;
