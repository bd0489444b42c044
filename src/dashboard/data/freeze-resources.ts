import { readAll } from "#client/read-all.ts";
import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { MAX_FREEZES } from "#contract/endpoints/freezes/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { POLL_MS, resources } from "#dashboard/data/resource.ts";

export const freezeApi = clientOf(freezeEndpoints);

/** All freezes of the account. */
export const useFreezes = resources(
  () =>
    readAll(
      (request) => freezeApi.listFreezes(request),
      ({ freezes }) => freezes,
      MAX_FREEZES,
    ),
  POLL_MS,
  "freeze",
);
