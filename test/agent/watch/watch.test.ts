import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import { nextCheckSeconds } from "#agent/watch/next-check.ts";

import {
  createCertificate,
  type GitServer,
  serveGit,
  type TestCertificate,
} from "../../support/git-server.ts";
import { sealVariables } from "../support/sealed-variables.ts";
import { QUICK, LONG_MS, useWatchedBranches } from "./use-watched-branches.ts";

const watching = useWatchedBranches();
const { watched, watch, reports, reported, readers, deployFirst } = watching;

describe("a watched branch", () => {
  it("is reported once when it has moved, with its message and the files that differ", async () => {
    const first = await deployFirst();
    watch(watched(first));
    watching.world.repository.commit({ "index.html": "two" });
    const tip = watching.world.repository.commit({ "old.txt": null, "a b.txt": "" }, "Move\n\nall of it");
    expect(await reported(1)).toEqual({
      type: "tip_moved",
      ...{ project_id: watching.world.projectId, repository: watching.world.repository.path, branch: "main" },
      ...{ before: first, commit_sha: tip, commit_message: "Move\n\nall of it" },
      paths: ["a b.txt", "index.html", "old.txt"],
    });
    await pause(LONG_MS);
    expect(reports()).toHaveLength(1);
    const next = watching.world.repository.commit({ "index.html": "three" });
    expect(await reported(2)).toMatchObject({ before: first, commit_sha: next });
  });

  it("is not reported while it has the known commit, or while it is not watched", async () => {
    const first = await deployFirst();
    watch(watched(first));
    await pause(LONG_MS);
    watch();
    await pause(LONG_MS);
    await expect.poll(readers).toEqual([]);
    watching.world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
  });

  it("is compared without files if the known commit is not in the mirror", async () => {
    await deployFirst();
    watch(watched("0123456789".repeat(4)));
    expect(await reported(1)).toMatchObject({ paths: null });
  });

  it("is not read before something of the project was deployed here", async () => {
    const first = watching.world.repository.commit({ "index.html": "one" });
    watching.world.repository.commit({ "index.html": "two" });
    await watching.world.startAgent(QUICK);
    watch(watched(first));
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
    expect(watching.world.has("mirror.git")).toBe(false);
    await watching.world.deploy();
    await reported(1);
  });

  it("is not read while a run of its project is active", async () => {
    const first = await deployFirst();
    const gate = watching.world.file("gate");
    const run = watching.world.control.dispatch(
      watching.world.order({ build_command: `until [ -e ${gate} ]; do sleep 0.02; done` }),
    );
    await watching.world.control.waitFor("the build", () =>
      run.events.find((event) => event.type === "stage" && event.stage === "build"),
    );
    watch(watched(first));
    const tip = watching.world.repository.commit({ "index.html": "two" });
    await pause(LONG_MS);
    expect(reports()).toEqual([]);
    writeFileSync(gate, "");
    expect(await reported(1)).toMatchObject({ commit_sha: tip });
  });

  it("that does not exist is logged once, and found when it exists", async () => {
    const first = await deployFirst();
    watch(watched(first, { branch: "release", every_seconds: 20 }));
    const failures = () => watching.world.logLines.filter((line) => line.includes("looking for pushes"));
    await expect.poll(failures).not.toEqual([]);
    await pause(LONG_MS);
    expect(failures()).toEqual([
      "shop: looking for pushes to release failed: fatal: couldn't find remote ref refs/heads/release",
    ]);
    watching.world.repository.commit({ "index.html": "two" });
    watching.world.repository.git("branch", "release");
    await reported(1);
    expect(watching.world.logLines).toContain("shop: release can be read again");
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

  it("is read with the project's token, of which nothing stays on the disk", async () => {
    const { url, first } = await serve("git:the-token");
    await watching.world.startAgent(QUICK, undefined, environment());
    const variables = await sealVariables(
      watching.world,
      {},
      { GANTRY_REPOSITORY_TOKEN: { value: "the-token" } },
    );
    const source = { repository: url, branch: "main", commit: null };
    expect((await watching.world.deploy({ source, variables })).result.outcome).toBe("live");
    const tip = watching.world.repository.commit({ "index.html": "two" });
    const [secret] = variables.secrets;
    if (secret?.sealed == null) throw new Error("the token is not sealed");
    const token = { account_id: variables.account_id, revision: 1, sealed: secret.sealed };
    watch(watched(first, { repository: url, token }));
    expect(await reported(1)).toMatchObject({ commit_sha: tip });
    expect(readdirSync(join(watching.world.home, "git-ssh/logins"))).toEqual([]);
    expect(watching.world.logLines.join("\n")).not.toContain("the-token");
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
