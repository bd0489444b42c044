import { afterEach, beforeEach } from "vitest";

import { livingPids, RUN_MARKER, variableOf } from "#build/process/process-table.ts";
import type { TipMoved, WatchedBranch } from "#contract/agent-watch.ts";
import { AgentWorld } from "../support/harness.ts";

export const QUICK = { watchSecondMs: 1 };
/** Several intervals of these tests. */
export const LONG_MS = 400;

/** An agent that watches branches of its projects. Call it at the top of a test file. */
export function useWatchedBranches() {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(() => world.close());

  function watched(known: string, change: Partial<WatchedBranch> = {}): WatchedBranch {
    return {
      ...{ project_id: world.projectId, project_name: "shop" },
      ...{ repository: world.repository.path, branch: "main" },
      ...{ every_seconds: 50, settle_seconds: 0, known_sha: known },
      ...change,
    };
  }

  function watch(...projects: readonly WatchedBranch[]): void {
    world.control.send({ type: "watch", projects: [...projects] });
  }

  function reports(): readonly TipMoved[] {
    return world.control.messages.filter((message) => message.type === "tip_moved");
  }

  function reported(count: number): Promise<TipMoved> {
    return world.control.waitFor(`report ${count}`, () => reports()[count - 1]);
  }

  /** For what repositories are read for this world's server now, besides runs. */
  function readers(): readonly string[] {
    const start = `reading-${world.control.serverId}-`;
    const markers = livingPids().map((pid) => variableOf(pid, RUN_MARKER).value ?? "");
    const kinds = markers
      .filter((marker) => marker.startsWith(start))
      .map((marker) => marker.slice(start.length));
    return [...new Set(kinds.map((kind) => kind.split("-")[0] ?? ""))].toSorted();
  }

  /** Deploys the first commit, because only a branch of a project that was deployed is watched. */
  async function deployFirst(): Promise<string> {
    const first = world.repository.commit({ "index.html": "one", "old.txt": "" });
    await world.startAgent(QUICK);
    await world.deploy();
    return first;
  }

  return {
    get world() {
      return world;
    },
    watched,
    watch,
    reports,
    reported,
    readers,
    deployFirst,
  };
}
