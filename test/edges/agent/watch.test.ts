import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import {
  createCertificate,
  type GitServer,
  serveGit,
  type TestCertificate,
} from "../../support/git-server.ts";
import { enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { ids } from "../../agent/support/harness.ts";
import { QUICK, LONG_MS, useWatchedBranches } from "../../agent/watch/use-watched-branches.ts";

const watching = useWatchedBranches();
const { watched, watch, reports, reported, readers, deployFirst } = watching;

describe("a watched branch", () => {
  it("is reported without its files if their names would make the message too long", async () => {
    const first = await deployFirst();
    // The JSON of this character is six times as long.
    const long = "\u0001".repeat(220);
    const names = Array.from({ length: 1000 }, (_, at) => `${long}/${long}/${long}/${long}${at}`);
    const tip = watching.world.repository.commit(Object.fromEntries(names.map((name) => [name, ""])));
    watch(watched(first));
    expect(await reported(1)).toMatchObject({ commit_sha: tip, paths: null });
  });

  it("is not reported if a hook reports the push while the agent waits", async () => {
    const first = await deployFirst();
    const waiting = { settle_seconds: 5 * LONG_MS };
    watch(watched(first, waiting));
    const tip = watching.world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS / 2);
    watch(watched(tip, waiting));
    await pause(8 * LONG_MS);
    expect(reports()).toEqual([]);
  });

  it("is reported again if the control plane did not take the report", async () => {
    const first = await deployFirst();
    watch(watched(first));
    const tip = watching.world.repository.commit({ "index.html": "two" });
    await reported(1);
    const { hellos } = watching.world.control;
    watching.world.control.cutLink();
    await watching.world.control.waitForHello(hellos);
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
    const first = watching.world.repository.commit({ "index.html": "one" });
    certificate = createCertificate(watching.world.folder);
    server = await serveGit({
      ...{ certificate, login, folder: dirname(watching.world.repository.path) },
      intercept: () => isHanging,
    });
    return { url: server.url("repository/.git"), first };
  }

  const environment = (): NodeJS.ProcessEnv => ({ ...process.env, GIT_SSL_CAINFO: certificate.cert });

  it("that does not answer delays no run of the project", async () => {
    const { url, first } = await serve(null);
    await watching.world.startAgent(QUICK, undefined, environment());
    const source = { repository: url, branch: "main", commit: null };
    await watching.world.deploy({ source });
    isHanging = true;
    watch(watched(first, { repository: url }));
    await expect.poll(readers).not.toEqual([]);
    const startedAt = performance.now();
    expect((await watching.world.deploy()).result.outcome).toBe("live");
    // The agent waits for the host for two minutes.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it("is no longer read by the git of an agent that was killed, whatever for", async () => {
    const { url, first } = await serve(null);
    await enrollAgent(watching.world);
    const env = { ...environment(), GANTRY_AGENT_SETTINGS: JSON.stringify(QUICK) };
    const agent = await spawnRunningAgent(watching.world, { env });
    await watching.world.deploy({ source: { repository: url, branch: "main", commit: null } });
    isHanging = true;
    watch(watched(first, { repository: url }));
    const request = { project_id: watching.world.projectId, project_name: "shop" };
    const source = {
      repository: url,
      branch: "main",
      commit: null,
      commits: "any",
      in_branch: false,
    } as const;
    const resolved = { deployment_id: ids.deployment(), source, timeout_seconds: 3600 };
    watching.world.control.send({ type: "resolve_commit", request_id: "1", ...request, ...resolved });
    watching.world.control.send({
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
    const next = await spawnRunningAgent(watching.world, { env });
    expect(readers()).toEqual([]);
    next.child.kill("SIGKILL");
    await next.exited;
  });
});
