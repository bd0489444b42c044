import { existsSync, readdirSync } from "node:fs";

import { expect } from "vitest";

import { processesOfRun } from "#agent/process/process-table.ts";
import type { RunId } from "#contract/ids.ts";

import type { World } from "./harness.ts";

/** How long the agent may take to finish what an earlier life has left. */
const PATIENCE = { timeout: 15_000, interval: 20 };

/**
 * Checks that nothing of an interrupted run is left on the server: no process of it, no file of its making beside whole
 * releases, and no note of it. `current` points to a whole release, or to none.
 */
export async function expectWholeProject(world: World, runs: readonly RunId[]): Promise<void> {
  await expect.poll(() => temporaryNames(world), PATIENCE).toEqual([]);
  expect(runs.flatMap((run) => processesOfRun(run))).toEqual([]);
  const names = existsSync(world.path("releases")) ? readdirSync(world.path("releases")) : [];
  const versions = names.filter((name) => /^\d+$/.test(name));
  expect(names.toSorted()).toEqual([...versions, ...versions.map((version) => `${version}.json`)].toSorted());
  if (world.current === null) return;
  expect(versions).toContain(world.current.slice("releases/".length));
}

function temporaryNames(world: World): readonly string[] {
  const lasting = new Set([
    "mirror.git",
    "modules",
    "releases",
    "shared",
    "current",
    "activated",
    "live-commits.json",
  ]);
  return existsSync(world.path()) ? readdirSync(world.path()).filter((name) => !lasting.has(name)) : [];
}

/** The version that is served, by its files and by the last activate command; both have to say the same. */
export function servedVersion(world: World): number {
  const served = Number(world.read("current", "index.html"));
  expect(world.current).toBe(`releases/${served}`);
  expect(Number(world.read("activated"))).toBe(served);
  return served;
}
