import { initialSettings } from "#contract/endpoints/projects/project-settings.ts";
import type { Plan } from "#domain/lane/lane.ts";

const { queue: _queue, approval: _approval, deploy_on: _deployOn, ...kept } = initialSettings;

/** The plan of a project with default settings. */
export const defaultPlan: Plan = {
  ...kept,
  name: "shop",
  domain: "shop.localhost",
  repository: "/srv/git/shop.git",
  maintenance: null,
};
