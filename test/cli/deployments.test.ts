import { stripVTControlCharacters } from "node:util";

import * as z from "zod/mini";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import { type CallOptions, createCli, jsonOf } from "./support/command.ts";
import { createInstallation, type Installation } from "./support/installation.ts";

const cli = createCli();
let installation: Installation;
let site: Site;
let sites = 0;

beforeAll(async () => {
  installation = await createInstallation();
});
afterAll(() => installation.stop());
beforeEach(async () => {
  sites += 1;
  site = await createSite(installation, installation.host, `site-${sites}`);
});

/** The environment of a CI job. It reaches the control plane through the clients' proxy. */
const jobOptions = (more: NodeJS.ProcessEnv = {}): CallOptions => ({
  env: {
    GANTRY_URL: installation.clients.url,
    GANTRY_TOKEN: installation.token,
    GANTRY_PROJECT: site.projectId,
    ...more,
  },
});
const gantry = (...args: string[]) => cli.run(args, jobOptions());
const deployLive = async () => {
  const { id } = await installation.api.start(site.projectId);
  expect((await installation.api.ended(id)).status).toBe("live");
  return id;
};
const newest = async () => {
  const [deployment] = await installation.api.listDeployments(site.projectId);
  if (deployment === undefined) throw new Error("there is no deployment");
  return deployment;
};

describe("gantry deploy", () => {
  it("--follow prints the log and exits with 0 when the given commit is live", async () => {
    const [first] = [...site.source.commits.keys()];
    await site.source.commit();
    const { code, stdout } = await gantry("deploy", "--follow", "--commit", `${first}`);
    const { status, commit_sha: sha } = await newest();
    expect({ code, status, sha }).toEqual({ code: 0, status: "live", sha: first });
    expect(stdout).toMatch(
      /^\S+Z build {4}line 20$[^]*^\S+Z build {4}built$[^]*v1 is live: main at .*\(fetch \S+ m?s, build \S+ m?s, activate \S+ m?s, verify \S+ m?s\)$/m,
    );
    // Output to a pipe has no terminal sequences.
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout).not.toContain("\r");
  });
});

describe("gantry deployments", () => {
  it("lists the newest first, with tabs and no headings in a pipe, and filters", async () => {
    await deployLive();
    await site.source.commit({ build: "exit 1" });
    await gantry("deploy", "--follow");
    const { stdout } = await gantry("deployments");
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map((row) => row.slice(7))).toEqual([
      ["deploy", expect.any(String), expect.any(String)],
      ["deploy", expect.any(String), expect.any(String)],
    ]);
    expect(rows.map(([version, status, branch]) => [version, status, branch])).toEqual([
      ["2", "failed", "main"],
      ["1", "live", "main"],
    ]);
    const failed = await gantry("deployments", "--status", "failed", "--json");
    const { deployments } = z.object({ deployments: z.array(Deployment) }).parse(jsonOf(failed.stdout));
    expect(deployments.map(({ version }) => version)).toEqual([2]);
    const one = await gantry("deployments", "list", "--all", "--limit", "1", "--branch", "main");
    expect(one.stdout.trim().split("\n")).toHaveLength(1);
    expect(one.stdout).not.toContain(site.projectId);
    const shown = await gantry("deployments", "show", "v1", "--json");
    const live = Deployment.parse(jsonOf(shown.stdout));
    expect(live).toMatchObject({ version: 1, status: "live" });
    const { stderr } = await gantry("deployments", "show", "v1");
    expect(stderr).toContain(`Deploy it again with gantry deploy --branch main --commit ${live.commit}`);
    expect((await gantry("deployments", "show", "v2")).stderr).not.toContain("Deploy it again");
  });
});

describe("gantry rollback", () => {
  it("rolls back to the deployment before the live one, and prints which it is", async () => {
    await deployLive();
    await site.source.commit();
    await deployLive();
    const { code, stdout, stderr } = await gantry("rollback", "--follow");
    expect(code).toBe(0);
    expect(stderr).toMatch(/Rolling back to v1: main at \w+ "Change .*; its files are still on the server\./);
    expect(stdout).toContain("v3 is live");
  });
});
