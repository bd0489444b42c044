import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { buildAgent } from "../../../scripts/shared/build-agent.ts";

/** Bundles the agent for the tests of a file that start it often. @returns the bundle's path, to be used within tests */
export function bundleAgent(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bundle-"));
  const bundle = join(folder, "agent.mjs");
  beforeAll(() => buildAgent(bundle));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return bundle;
}
