import { initialSettings, keptOf } from "#contract/endpoints/projects/project-settings.ts";
import { ServerId } from "#contract/ids.ts";
import type { Plan } from "#domain/lane/lane.ts";

/** The plan of a project with default settings. */
export const defaultPlan: Plan = {
  ...keptOf({
    ...initialSettings,
    name: "shop",
    domain: "shop.localhost",
    repository: "/srv/git/shop.git",
    // A plan does not have it.
    server_id: ServerId.parse(`srv_${"0".repeat(26)}`),
  }),
  maintenance: null,
};
