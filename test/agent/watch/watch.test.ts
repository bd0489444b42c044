import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { nextCheckSeconds } from "#agent/watch/next-check.ts";
import { livingPids, RUN_MARKER, variableOf } from "#build/process/process-table.ts";
import type { TipMoved, WatchedBranch } from "#contract/agent-watch.ts";

import {
  createCertificate,
  type GitServer,
  serveGit,
  type TestCertificate,
} from "../../support/git-server.ts";
import { AgentWorld } from "../support/harness.ts";
import { sealVariables } from "../support/sealed-variables.ts";

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
  it("is reported once when it has moved, with its message and the files that differ", async () => {
    const first = await deployFirst();
    watch(watched(first));
    world.repository.commit({ "index.html": "two" });
    const tip = world.repository.commit({ "old.txt": null, "a b.txt": "" }, "Move\n\nall of it");
    expect(await reported(1)).toEqual({
      type: "tip_moved",
      ...{ project_id: world.projectId, repository: world.repository.path, branch: "main" },
      ...{ before: first, commit_sha: tip, commit_message: "Move\n\nall of it" },
      paths: ["a b.txt", "index.html", "old.txt"],
    });
    await pause(LONG_MS);
    expect(reports()).toHaveLength(1);
    const next = world.repository.commit({ "index.html": "three" });
    expect(await reported(2)).toMatchObject({ before: first, commit_sha: next });
  });

  it("is not reported while it has the known commit, or while it is not watched", async () => {
    const first = await deployFirst();
    watch(watched(first));
    await pause(LONG_MS);
    watch();
    await pause(LONG_MS);
    await expect.poll(readers).toEqual([]);
    world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
  });

  it("is compared without files if the known commit is not in the mirror", async () => {
    await deployFirst();
    watch(watched("0123456789".repeat(4)));
    expect(await reported(1)).toMatchObject({ paths: null });
  });

  it("is not read before something of the project was deployed here", async () => {
    const first = world.repository.commit({ "index.html": "one" });
    world.repository.commit({ "index.html": "two" });
    await world.startAgent(QUICK);
    watch(watched(first));
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
    expect(world.has("mirror.git")).toBe(false);
    await world.deploy();
    await reported(1);
  });

  it("is not read while a run of its project is active", async () => {
    const first = await deployFirst();
    const gate = world.file("gate");
    const run = world.control.dispatch(
      world.order({ build_command: `until [ -e ${gate} ]; do sleep 0.02; done` }),
    );
    await world.control.waitFor("the build", () =>
      run.events.find((event) => event.type === "stage" && event.stage === "build"),
    );
    watch(watched(first));
    const tip = world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
    writeFileSync(gate, "");
    expect(await reported(1)).toMatchObject({ commit_sha: tip });
  });

  it("that does not exist is logged once, and found when it exists", async () => {
    const first = await deployFirst();
    watch(watched(first, { branch: "release", every_seconds: 20 }));
    const failures = () => world.logLines.filter((line) => line.includes("looking for pushes"));
    await expect.poll(failures).not.toEqual([]);
    await pause(LONG_MS);
    expect(failures()).toEqual([
      "shop: looking for pushes to release failed: fatal: couldn't find remote ref refs/heads/release",
    ]);
    world.repository.commit({ "index.html": "two" });
    world.repository.git("branch", "release");
    await reported(1);
    expect(world.logLines).toContain("shop: release can be read again");
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

  it("is read with the project's token, of which nothing stays on the disk", async () => {
    const { url, first } = await serve("git:the-token");
    await world.startAgent(QUICK, undefined, environment());
    const variables = await sealVariables(world, {}, { GANTRY_REPOSITORY_TOKEN: { value: "the-token" } });
    const source = { repository: url, branch: "main", commit: null };
    expect((await world.deploy({ source, variables })).result.outcome).toBe("live");
    const tip = world.repository.commit({ "index.html": "two" });
    const [secret] = variables.secrets;
    if (secret?.sealed == null) throw new Error("the token is not sealed");
    const token = { account_id: variables.account_id, revision: 1, sealed: secret.sealed };
    watch(watched(first, { repository: url, token }));
    expect(await reported(1)).toMatchObject({ commit_sha: tip });
    expect(readdirSync(join(world.home, "git-ssh/logins"))).toEqual([]);
    expect(world.logLines.join("\n")).not.toContain("the-token");
  });
});

it.each([
  [300, 0, 0, 270],
  [300, 0, 1, 330],
  [300, 1, 0.5, 600],
  [300, 3, 0.5, 2_400],
  [300, 20, 0.5, 6 * 3600],
  [3600, 2, 0.5, 4 * 3600],
])(
  "a branch that is read every %i s is read next, after %i failures and with chance %f, in %i s",
  (every, failures, chance, seconds) => {
    expect(nextCheckSeconds(every, failures, chance)).toBeCloseTo(seconds);
  },
);
