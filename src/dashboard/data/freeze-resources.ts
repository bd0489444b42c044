import { readAll } from "#client/read-all.ts";
import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { MAX_FREEZES } from "#contract/endpoints/freezes/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { freshResources, POLL_MS, resources } from "#dashboard/data/resource.ts";

export const freezeApi = clientOf(freezeEndpoints);

const readFreezes = () =>
  readAll(
    (request) => freezeApi.listFreezes(request),
    ({ freezes }) => freezes,
    MAX_FREEZES,
  );

/** All freezes of the account. */
export const useFreezes = resources(readFreezes, POLL_MS, "freeze");

/** The same for a dialog in which the user decides by them. Without a key it loads nothing. */
export const useFreezesToDecide = freshResources(readFreezes, POLL_MS, "freeze");
