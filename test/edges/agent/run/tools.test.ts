import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { processesOfRun } from "#build/process/process-table.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import { noSites } from "#agent/sites/sites-client.ts";

import { type FakeRegistry, startFakeRegistry } from "../../../support/fake-registry.ts";
import { ids, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;

beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

async function deploy(given: Partial<RunOrder> = {}) {
  const { build_command: _build, output_directory: _output, ...rest } = world.order();
  // These apps start no process: the tests are about their builds.
  const run = world.control.dispatch({ ...rest, activate_command: "true", ...given });
  return { run, result: await world.control.result(run) };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

const version = process.versions.node;
const [major = ""] = version.split(".");
/** Builds with npm, without a network. */
const site = {
  "package.json": '{"scripts":{"start":"node .","build":"node build.js"}}',
  "package-lock.json": '{"lockfileVersion":3,"packages":{"":{}}}',
  "build.js": 'console.log("built with", process.version)',
};

describe("a repository that asks for a version of Node", () => {
  it.each([
    [".nvmrc", "12\n", "12"],
    [".node-version", "v12.22.0", "v12.22.0"],
    [".tool-versions", "nodejs 12.22.0\n", "12.22.0"],
    ["mise.toml", '[tools]\nnode = "12"\n', "12"],
  ])("in %s fails before any command, if the server has another one", async (file, text, wanted) => {
    world.repository.commit({ ...site, [file]: text });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result).toEqual({
      outcome: "failed",
      failure: {
        code: "tool_missing",
        stage: "install",
        message: `${file} asks for Node ${wanted}, and this server has ${version}`,
        hint: expect.stringContaining("mise"),
      },
    });
    expect(messagesOf(run, "system").join("\n")).not.toContain("running");
  });

  it("is built if the server has that version, wherever the file is between the two roots", async () => {
    world.repository.commit({
      ".nvmrc": major,
      "apps/web/package.json": site["package.json"],
      "apps/web/package-lock.json": site["package-lock.json"],
      "apps/web/build.js": site["build.js"],
    });
    await world.startAgent();
    const { run, result } = await deploy({ root_directory: "apps/web" });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toContain(`built with v${version}`);
  });

  it("is built with a newer compatible version, and the log says so", async () => {
    world.repository.commit({ ...site, ".nvmrc": `${major}.0.0` });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system")).toContain(
      `.nvmrc asks for Node ${major}.0.0, and this server has ${version}, which is used`,
    );
  });

  it("only in engines is built with another one, and the log says so", async () => {
    const manifest = { ...JSON.parse(site["package.json"]), engines: { node: "12.x" } };
    world.repository.commit({ ...site, "package.json": JSON.stringify(manifest) });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system")).toContain(
      `package.json asks for Node 12.x, and this server has ${version}, which is used`,
    );
  });

  it("is not refused if the project has its own command, which may bring its tools", async () => {
    world.repository.commit({ ...site, ".nvmrc": "12" });
    await world.startAgent();
    const { run, result } = await deploy({ build_command: "node build.js", output_directory: "." });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system")).toContain(
      `.nvmrc asks for Node 12, and this server has ${version}, which is used`,
    );
  });

  it("is built with the program that a PATH of the project leads to, which the agent does not start", async () => {
    const bin = world.file("bin");
    mkdirSync(bin);
    const log = world.file("started");
    const program = `#!/bin/sh\nenv | grep -c ^GANTRY_VERSION= >> ${log}\n`;
    for (const name of ["php", "composer"]) writeFileSync(join(bin, name), program, { mode: 0o755 });
    world.repository.commit({ "composer.json": '{"require":{"php":"^5.2"}}' });
    await world.startAgent();
    const { result } = await deploy({
      variables: {
        ...{ account_id: ids.account(), revision: 1, deployed: false, secrets: [] },
        plain: [{ name: "PATH", value: `${bin}:${process.env["PATH"]}` }],
      },
    });
    expect(result.outcome).toBe("live");
    // Once, by the project's command.
    expect(world.linesOf("started")).toEqual(["1"]);
  });

  it("is served without it if nothing is built", async () => {
    world.repository.commit({ "index.html": "one", ".nvmrc": "12" });
    await world.startAgent();
    const { run, result } = await deploy({ activate_command: null });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system").join("\n")).not.toContain(".nvmrc");
  });
});

describe("a repository that asks for pnpm on a server without it", () => {
  /** Runs scripts of package.json as pnpm does, with itself on the PATH. */
  const pnpm = `#!/usr/bin/env node
const { execSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const [, , command, script] = process.argv;
console.log("pnpm 1.0.0", command);
if (command === "run")
  execSync(JSON.parse(readFileSync("package.json", "utf8")).scripts[script], { stdio: "inherit" });
`;
  const repository = {
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "index.html": "page",
  };
  const manifest = (packageManager: string) =>
    JSON.stringify({ packageManager, scripts: { start: "node .", build: "pnpm run nested", nested: "pwd" } });
  let registry: FakeRegistry;

  beforeEach(async () => {
    registry = await startFakeRegistry("pnpm", pnpm);
  });
  afterEach(() => registry.close());

  /** The agent of a server whose npm uses the registry. */
  async function startAgent(from?: string): Promise<void> {
    const home = join(world.folder, "user");
    mkdirSync(home, { recursive: true });
    const { npm_config_registry: address, npm_config_cache: cache } = registry.environment;
    writeFileSync(join(home, ".npmrc"), `registry=${from ?? address}\ncache=${cache}\nnoproxy=127.0.0.1\n`);
    await world.startAgent({}, noSites, { ...process.env, HOME: home });
  }

  it("gets it from npm, for nested commands too, and keeps it for the next deployment", async () => {
    world.repository.commit({ ...repository, "package.json": manifest("pnpm@1.0.0") });
    await startAgent();
    const { run, result } = await deploy();
    expect(result).toMatchObject({ outcome: "live" });
    expect(messagesOf(run, "system")).toContain("using pnpm 1.0.0, for package.json");
    expect(messagesOf(run, "stdout").filter((line) => line.startsWith("pnpm"))).toEqual([
      "pnpm 1.0.0 install",
      "pnpm 1.0.0 run",
      "pnpm 1.0.0 run",
    ]);
    const before = registry.requests;
    world.repository.commit({ "index.html": "changed" });
    expect((await deploy()).result.outcome).toBe("live");
    expect(registry.requests).toBe(before);
  });

  it("fails if npm cannot get the version, and names it and the file", async () => {
    world.repository.commit({ ...repository, "package.json": manifest("pnpm@9.9.9") });
    await startAgent();
    const { result } = await deploy();
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "tool_missing",
        stage: "install",
        message:
          "package.json asks for pnpm 9.9.9, and this server does not have pnpm: npm could not install it",
        evidence: { stderr_tail: expect.stringContaining("9.9.9") },
      },
    });
  });

  it.each([
    ["canceled", {}],
    ["timed_out", { timeouts: { ...defaultTimeouts, install_seconds: 1 } }],
  ])("ends npm if the deployment is %s before the registry answers", async (outcome, given) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const asked = once(silent, "connection");
    world.repository.commit({ ...repository, "package.json": manifest("pnpm@1.0.0") });
    await startAgent(`http://127.0.0.1:${portOf(silent)}/`);
    const { build_command: _build, output_directory: _output, ...order } = { ...world.order(), ...given };
    const run = world.control.dispatch(order);
    if (outcome === "canceled") {
      await asked;
      world.control.stop(order);
    }
    const result = await world.control.result(run);
    expect(result).toMatchObject(
      outcome === "canceled"
        ? { outcome }
        : { failure: { code: "timed_out", message: "installing pnpm took longer than 1 second" } },
    );
    expect(processesOfRun(order.run_id)).toEqual([]);
    expect(world.has("tmp")).toBe(false);
    silent.close();
  });

  it("refuses a package whose hash differs from packageManager, also if it is installed already", async () => {
    const hash = Buffer.from(registry.integrity.replace("sha512-", ""), "base64").toString("hex");
    world.repository.commit({ ...repository, "package.json": manifest(`pnpm@1.0.0+sha512.${hash}`) });
    await startAgent();
    expect((await deploy()).result.outcome).toBe("live");
    world.repository.commit({ "package.json": manifest(`pnpm@1.0.0+sha512.${"0".repeat(128)}`) });
    const { run, result } = await deploy();
    expect(result).toMatchObject({ outcome: "failed", failure: { code: "tool_missing" } });
    expect(messagesOf(run, "system")).toContain(
      "pnpm is refused: its hash differs from packageManager in package.json",
    );
  });
});
