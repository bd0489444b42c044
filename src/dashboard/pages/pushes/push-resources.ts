import { readAll } from "#client/read-all.ts";
import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import type { HookId, ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { resources } from "#dashboard/data/resource.ts";

const HOOK_POLL_MS = 5_000;

/** More hooks than an account can have. */
const MOST_HOOKS = 1_000;

export const hookApi = clientOf(hookEndpoints);

/** All hooks of the account. */
export const useHooks = resources(
  () =>
    readAll(
      (request) => hookApi.listHooks(request),
      ({ hooks }) => hooks,
      MOST_HOOKS,
    ),
  HOOK_POLL_MS,
  "hook",
);

/** The newest page of the pushes of a project. */
export const useProjectPushes = resources(
  (id: ProjectId) => hookApi.listProjectPushes({ params: { project_id: id } }),
  HOOK_POLL_MS,
);

/** The newest page of a hook's deliveries, whichever project they concerned. */
export const useHookPushes = resources(
  (id: HookId) => hookApi.listHookPushes({ params: { hook_id: id } }),
  HOOK_POLL_MS,
);
