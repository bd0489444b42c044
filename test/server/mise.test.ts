import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { noSites } from "#agent/sites/sites-client.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { runStages } from "#contract/stages.ts";

import { eventsOf, messagesOf, AgentWorld } from "../agent/support/harness.ts";
import { downloadMise, type NodeMirror, startNodeMirror } from "../support/mise.ts";

let folder: string;
let mise: string;
let world: AgentWorld;
let mirror: NodeMirror;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gantry-mise-"));
  mise = downloadMise(folder);
  mirror = await startNodeMirror();
});
afterAll(async () => {
  await mirror.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

/** The agent of a server that has mise and git, and neither Node nor npm. */
async function startAgent(): Promise<void> {
  const bin = join(world.folder, "bin");
  mkdirSync(bin);
  symlinkSync(mise, join(bin, "mise"));
  for (const program of ["git", "sh", "env"]) {
    const found = ["/usr/bin", "/bin"].map((each) => join(each, program)).find((path) => existsSync(path));
    if (found === undefined) throw new Error(`there is no ${program}`);
    symlinkSync(found, join(bin, program));
  }
  await world.startAgent({}, noSites, {
    ...{ PATH: bin, HOME: world.folder, npm_config_cache: join(world.folder, "npm-cache") },
    MISE_NODE_MIRROR_URL: `http://127.0.0.1:${mirror.port}/`,
    MISE_USE_VERSIONS_HOST: "0",
  });
}

async function deploy(given: Partial<RunOrder> = {}) {
  const { build_command: _build, output_directory: _output, ...rest } = world.order();
  // This app starts no process: the tests are about its build.
  const run = world.control.dispatch({ ...rest, activate_command: "true", ...given });
  return { run, result: await world.control.result(run) };
}

const [major = ""] = process.versions.node.split(".");
const site = {
  "package.json": '{"scripts":{"start":"node .","build":"node build.js"}}',
  "package-lock.json": '{"lockfileVersion":3,"packages":{"":{}}}',
  "build.js": 'console.log(process.version, process.execPath, process.env.EVIL ?? "clean")',
};

describe("a server with mise", () => {
  it("installs the Node that a repository asks for, once, and uses it for every command", async () => {
    world.repository.commit({ ...site, ".nvmrc": `${major}\n` });
    await startAgent();
    const { run, result } = await deploy({ activate_command: "node -p process.execPath" });
    expect(result).toMatchObject({ outcome: "live" });
    const lines = messagesOf(run, "stdout");
    const tools = realpathSync(join(world.home, "tools"));
    expect(lines.join("\n")).toContain(`${process.version} ${tools}/`);
    expect(lines.at(-1)).toMatch(new RegExp(`^${tools}/.*/bin/node$`));
    const system = messagesOf(run, "system");
    expect(system).toContain(`installing Node ${process.versions.node} with mise`);
    expect(system).toContain(`using Node ${process.versions.node}, for .nvmrc`);
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).toEqual(
      runStages.filter((stage) => stage !== "release" && stage !== "start"),
    );

    const before = mirror.requests.length;
    const second = await deploy();
    expect(second.result.outcome).toBe("live");
    expect(messagesOf(second.run, "system").join("\n")).not.toContain("installing");
    expect(mirror.requests.length).toBe(before);
  });

  it("reads versions from mise.toml, and neither its variables nor its hooks and tasks", async () => {
    const pwned = join(world.folder, "pwned");
    world.repository.commit({
      ...site,
      "mise.toml": `[tools]
node = "lts"
[env]
EVIL = "1"
_.source = "evil.sh"
[hooks]
postinstall = "touch ${pwned}"
enter = "touch ${pwned}"
[settings]
experimental = true
`,
      "evil.sh": `touch ${pwned}`,
    });
    await startAgent();
    const { run, result } = await deploy();
    expect(result).toMatchObject({ outcome: "live" });
    expect(messagesOf(run, "stdout").join("\n")).toMatch(/ clean$/m);
    expect(existsSync(pwned)).toBe(false);
  });

  it("fails with the output of mise if it cannot install the version", async () => {
    world.repository.commit({ ...site, ".nvmrc": "12.0.0" });
    await startAgent();
    const { result } = await deploy();
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "tool_missing",
        stage: "install",
        message: ".nvmrc asks for Node 12.0.0, and this server does not have npm: mise could not install it",
        evidence: { stderr_tail: expect.stringContaining("12.0.0") },
      },
    });
  });
});
