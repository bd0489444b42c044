import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inject } from "vitest";
import type { TestProject } from "vitest/node";

import { buildAgent, buildSites } from "../../../scripts/shared/build-agent.ts";
import { root } from "../../../scripts/shared/root.ts";
import { quickPath } from "./quick-path.ts";

declare module "vitest" {
  interface ProvidedContext {
    agentBundle: string;
    sitesBundle: string;
    agentPath: string;
  }
}

/**
 * Prepares what the agents of the project's tests run, before its files. The paths of the bundles are the same in each run,
 * because Node's compile cache goes by them.
 * @returns a function that cleans up after all files
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const path = join(root, "build", "test-agent.mjs");
  const sitesPath = join(root, "build", "test-sites.mjs");
  const build = async () => {
    // Another run of the tests may use the bundles at this moment.
    const written = [path, sitesPath].map((one) => [`${one}.${process.pid}`, one] as const);
    await Promise.all([buildAgent(`${path}.${process.pid}`), buildSites(`${sitesPath}.${process.pid}`)]);
    for (const [from, to] of written) await rename(from, to);
  };
  await build();
  project.onTestsRerun(build);
  project.provide("agentBundle", path);
  project.provide("sitesBundle", sitesPath);
  const links = await mkdtemp(join(tmpdir(), "gantry-agent-path-"));
  project.provide("agentPath", await quickPath(process.env["PATH"] ?? "", links));
  return async () => await rm(links, { recursive: true, force: true });
}

/** @returns the path of the bundled agent, which starts with less than half of the CPU time of the sources */
export function bundleAgent(): string {
  return inject("agentBundle");
}

/** @returns the PATH of agents that are processes: this one's, without the tools that an agent would start to report them */
export function agentPath(): string {
  return inject("agentPath");
}
