import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/hooks/schemas.ts";
import { HookId, ProjectId, PushId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const HookParams = z.strictObject({ hook_id: HookId });

export const hookEndpoints = {
  listHooks: {
    ...get("/v1/hooks", token("hooks:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.HookRows },
  },
  createHook: {
    ...post("/v1/hooks", accountToken("hooks:write")),
    body: schemas.CreateHookInput,
    success: { status: 201, body: schemas.HookWithSecret },
    problems: ["hook_exists", "too_many"],
  },
  getHook: {
    ...get("/v1/hooks/:hook_id", token("hooks:read")),
    params: HookParams,
    success: { status: 200, body: schemas.Hook },
  },
  rotateHook: {
    ...post("/v1/hooks/:hook_id/rotate", accountToken("hooks:write")),
    params: HookParams,
    body: schemas.RotateHookInput,
    success: { status: 200, body: schemas.HookWithSecret },
  },
  deleteHook: {
    ...remove("/v1/hooks/:hook_id", accountToken("hooks:write")),
    params: HookParams,
    success: { status: 204, body: null },
  },
  listHookPushes: {
    ...get("/v1/hooks/:hook_id/pushes", token("hooks:read")),
    params: HookParams,
    query: PageQuery,
    success: { status: 200, body: schemas.PushRows },
  },
  replayPush: {
    ...post("/v1/hooks/:hook_id/pushes/:push_id/replay", token("deployments:write")),
    params: z.strictObject({ hook_id: HookId, push_id: PushId }),
    body: z.strictObject({}),
    success: { status: 201, body: schemas.ReplayedPushes },
    problems: ["not_replayable"],
  },
  listProjectPushes: {
    ...get("/v1/projects/:project_id/pushes", token("hooks:read")),
    params: z.strictObject({ project_id: ProjectId }),
    query: PageQuery,
    success: { status: 200, body: schemas.PushRows },
  },
  receiveDelivery: {
    ...post("/v1/hooks/:hook_id/receive", { by: "none" }),
    params: HookParams,
    maxBodyBytes: schemas.MAX_DELIVERY_BYTES,
    success: { status: 200, body: schemas.DeliveryAnswer },
    problems: ["invalid_signature", "body_too_large", "rate_limited"],
  },
} as const satisfies Record<string, Endpoint>;
