import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { livingPids, RUN_MARKER, variableOf } from "#build/process/process-table.ts";
import type { TipMoved, WatchedBranch } from "#contract/agent-watch.ts";

import {
  createCertificate,
  type GitServer,
  serveGit,
  type TestCertificate,
} from "../../support/git-server.ts";
import { enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { ids, AgentWorld } from "../../agent/support/harness.ts";

const QUICK = { watchSecondMs: 1 };
/** Several intervals of these tests. */
const LONG_MS = 400;

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

describe("a watched branch", () => {
  it("is reported without its files if their names would make the message too long", async () => {
    const first = await deployFirst();
    // The JSON of this character is six times as long.
    const long = "\u0001".repeat(220);
    const names = Array.from({ length: 1000 }, (_, at) => `${long}/${long}/${long}/${long}${at}`);
    const tip = world.repository.commit(Object.fromEntries(names.map((name) => [name, ""])));
    watch(watched(first));
    expect(await reported(1)).toMatchObject({ commit_sha: tip, paths: null });
  });

  it("is not reported if a hook reports the push while the agent waits", async () => {
    const first = await deployFirst();
    const waiting = { settle_seconds: 5 * LONG_MS };
    watch(watched(first, waiting));
    const tip = world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS / 2);
    watch(watched(tip, waiting));
    await pause(8 * LONG_MS);
    expect(reports()).toEqual([]);
  });

  it("is reported again if the control plane did not take the report", async () => {
    const first = await deployFirst();
    watch(watched(first));
    const tip = world.repository.commit({ "index.html": "two" });
    await reported(1);
    const { hellos } = world.control;
    world.control.cutLink();
    await world.control.waitForHello(hellos);
    watch(watched(first));
    expect(await reported(2)).toMatchObject({ before: first, commit_sha: tip });
    watch(watched(tip));
    await pause(LONG_MS);
    expect(reports()).toHaveLength(2);
  });
});

describe("a branch on a git host", () => {
  let certificate: TestCertificate;
  let server: GitServer | null = null;
  let isHanging = false;
  afterEach(() => {
    server?.close();
    isHanging = false;
  });

  async function serve(login: string | null): Promise<{ readonly url: string; readonly first: string }> {
    const first = world.repository.commit({ "index.html": "one" });
    certificate = createCertificate(world.folder);
    server = await serveGit({
      ...{ certificate, login, folder: dirname(world.repository.path) },
      intercept: () => isHanging,
    });
    return { url: server.url("repository/.git"), first };
  }

  const environment = (): NodeJS.ProcessEnv => ({ ...process.env, GIT_SSL_CAINFO: certificate.cert });

  it("that does not answer delays no run of the project", async () => {
    const { url, first } = await serve(null);
    await world.startAgent(QUICK, undefined, environment());
    const source = { repository: url, branch: "main", commit: null };
    await world.deploy({ source });
    isHanging = true;
    watch(watched(first, { repository: url }));
    await expect.poll(readers).not.toEqual([]);
    const startedAt = performance.now();
    expect((await world.deploy()).result.outcome).toBe("live");
    // The agent waits for the host for two minutes.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it("is no longer read by the git of an agent that was killed, whatever for", async () => {
    const { url, first } = await serve(null);
    await enrollAgent(world);
    const env = { ...environment(), GANTRY_AGENT_SETTINGS: JSON.stringify(QUICK) };
    const agent = await spawnRunningAgent(world, { env });
    await world.deploy({ source: { repository: url, branch: "main", commit: null } });
    isHanging = true;
    watch(watched(first, { repository: url }));
    const request = { project_id: world.projectId, project_name: "shop" };
    const source = {
      repository: url,
      branch: "main",
      commit: null,
      commits: "any",
      in_branch: false,
    } as const;
    const resolved = { deployment_id: ids.deployment(), source, timeout_seconds: 3600 };
    world.control.send({ type: "resolve_commit", request_id: "1", ...request, ...resolved });
    world.control.send({
      type: "test_repository",
      request_id: "2",
      ...request,
      repository: url,
      branch: "main",
    });
    const all = ["resolve", "test", "watch"];
    await expect.poll(readers).toEqual(all);
    agent.child.kill("SIGKILL");
    await agent.exited;
    expect(readers()).toEqual(all);
    const next = await spawnRunningAgent(world, { env });
    expect(readers()).toEqual([]);
    next.child.kill("SIGKILL");
    await next.exited;
  });
});
