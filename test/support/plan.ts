import { defaultTimeouts } from "#contract/stages.ts";
import type { Plan } from "#domain/lane/lane.ts";

/** The plan of a project with default settings. */
export const defaultPlan: Plan = {
  projectName: "shop",
  domain: "shop.localhost",
  repository: "/srv/git/shop.git",
  defaultBranch: "main",
  commits: "reachable",
  rootDirectory: ".",
  build: {},
  releaseCommand: null,
  activateCommand: null,
  sharedPaths: [],
  keepReleases: 5,
  assetOverlap: 86_400,
  healthCheck: null,
  limits: {},
  timeouts: defaultTimeouts,
  processes: {},
  drainSeconds: 30,
  aliases: [],
  cron: [],
  maintenance: null,
};
