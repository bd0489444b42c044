import { join } from "node:path";

import { inject } from "vitest";
import type { TestProject } from "vitest/node";

import { buildAgent } from "../../../scripts/shared/build-agent.ts";
import { root } from "../../../scripts/shared/root.ts";

declare module "vitest" {
  interface ProvidedContext {
    agentBundle: string;
  }
}

/**
 * Bundles the agent before the files of the project run. The path is the same in each run, because Node's compile cache
 * goes by it.
 */
export default async function setUp(project: TestProject): Promise<void> {
  const path = join(root, "build", "test-agent.mjs");
  const build = async () => void (await buildAgent(path));
  await build();
  project.onTestsRerun(build);
  project.provide("agentBundle", path);
}

/** @returns the path of the bundled agent, which starts with less than half of the CPU time of the sources */
export function bundleAgent(): string {
  return inject("agentBundle");
}
