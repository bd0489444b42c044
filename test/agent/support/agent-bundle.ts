import { join } from "node:path";

import { inject } from "vitest";
import type { TestProject } from "vitest/node";

import { buildAgent, buildSites } from "../../../scripts/shared/build-agent.ts";
import { root } from "../../../scripts/shared/root.ts";

declare module "vitest" {
  interface ProvidedContext {
    agentBundle: string;
    sitesBundle: string;
  }
}

/**
 * Bundles the agent and the site server before the files of the project run. The paths are the same in each run, because
 * Node's compile cache goes by them.
 */
export default async function setUp(project: TestProject): Promise<void> {
  const path = join(root, "build", "test-agent.mjs");
  const sitesPath = join(root, "build", "test-sites.mjs");
  const build = async () => void (await Promise.all([buildAgent(path), buildSites(sitesPath)]));
  await build();
  project.onTestsRerun(build);
  project.provide("agentBundle", path);
  project.provide("sitesBundle", sitesPath);
}

/** @returns the path of the bundled agent, which starts with less than half of the CPU time of the sources */
export function bundleAgent(): string {
  return inject("agentBundle");
}
