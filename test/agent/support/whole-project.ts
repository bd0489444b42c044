import { existsSync, readdirSync } from "node:fs";

import { expect } from "vitest";

import { processesOfRun } from "#build/process/process-table.ts";
import type { RunId } from "#contract/ids.ts";

import type { AgentWorld } from "./harness.ts";

/** How long the agent can take to clean up after an earlier process. */
const PATIENCE = { interval: 20 };

/**
 * Checks that an interrupted run left nothing on the server: no process, no file except finished releases,
 * and no journal. `current` points to a finished release, or does not exist.
 */
export async function expectWholeProject(world: AgentWorld, runs: readonly RunId[]): Promise<void> {
  await expect.poll(() => temporaryNames(world), PATIENCE).toEqual([]);
  expect(runs.flatMap((run) => processesOfRun(run))).toEqual([]);
  const names = existsSync(world.path("releases")) ? readdirSync(world.path("releases")) : [];
  const versions = names.filter((name) => /^\d+$/.test(name));
  expect(names.toSorted()).toEqual([...versions, ...versions.map((version) => `${version}.json`)].toSorted());
  const variables = existsSync(world.path("variables")) ? readdirSync(world.path("variables")) : [];
  const ofVariables = versions.flatMap((version) => [`${version}.json`, `${version}.earlier.json`]);
  expect(ofVariables).toEqual(expect.arrayContaining(variables));
  if (world.current === null) return;
  expect(versions).toContain(world.current.slice("releases/".length));
}

function temporaryNames(world: AgentWorld): readonly string[] {
  const lasting = new Set([
    "mirror.git",
    "modules",
    "releases",
    "shared",
    "current",
    "activated",
    "assets",
    "assets.json",
    "live-commits.json",
    "cache",
    "cache.json",
    "secret-revisions.json",
    "variables",
  ]);
  return existsSync(world.path()) ? readdirSync(world.path()).filter((name) => !lasting.has(name)) : [];
}

/** The served version, according to its files and to the last activate command, which must agree. */
export function servedVersion(world: AgentWorld): number {
  const served = Number(world.read("current", "index.html"));
  expect(world.current).toBe(`releases/${served}`);
  expect(Number(world.read("activated"))).toBe(served);
  return served;
}
