import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/freezes/schemas.ts";
import { FreezeId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const FreezeParams = z.strictObject({ freeze_id: FreezeId });

export const freezeEndpoints = {
  listFreezes: {
    ...get("/v1/freezes", token("freezes:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.FreezeRows },
  },
  createFreeze: {
    ...post("/v1/freezes", token("freezes:write")),
    body: schemas.CreateFreezeInput,
    success: { status: 201, body: schemas.Freeze },
    problems: ["not_found", "too_many"],
  },
  getFreeze: {
    ...get("/v1/freezes/:freeze_id", token("freezes:read")),
    params: FreezeParams,
    success: { status: 200, body: schemas.Freeze },
  },
  updateFreeze: {
    ...patch("/v1/freezes/:freeze_id", token("freezes:write")),
    params: FreezeParams,
    body: schemas.UpdateFreezeInput,
    success: { status: 200, body: schemas.Freeze },
  },
  deleteFreeze: {
    ...remove("/v1/freezes/:freeze_id", token("freezes:write")),
    params: FreezeParams,
    success: { status: 204, body: null },
  },
} as const satisfies Record<string, Endpoint>;
