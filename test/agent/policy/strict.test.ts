import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { loadsCode } from "#agent/policy/loader-variables.ts";
import { readPolicy } from "#agent/policy/read-policy.ts";
import type { RunOrder, RunVariables } from "#contract/agent-order.ts";

import { ids, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
/** The installer's template. */
const path = fileURLToPath(new URL("../../../src/agent/install/strict-policy.json", import.meta.url));
const read = await readPolicy(path);
const strict = () => {
  if (read.kind === "refused") throw new Error(read.reason);
  return { ...read.policy, repositories: [world.repository.path] };
};
const touched = () => world.linesOf("touched");
const touch = (what: string) => `echo ${what} >> ${world.file("touched")}`;
/** Runs until it is stopped. */
const app = (what: string) => `${touch(what)}; exec sleep 1000`;

beforeEach(async () => {
  world = await AgentWorld.create();
  world.policy = strict();
  world.repository.commit({
    "index.html": "one",
    Procfile: `release: ${touch("release")}\nworker: ${app("worker")}\n`,
    "gantry.json": JSON.stringify({
      install_command: touch("install"),
      build_command: touch("build"),
      output_directory: ".",
      cron: [{ name: "nightly", schedule: "0 3 * * *", command: touch("cron") }],
    }),
  });
});
afterEach(() => world.close());

const ofRepository = (change: Partial<RunOrder> = {}): RunOrder => {
  const { build_command: _, output_directory: __, ...order } = world.order();
  return { ...order, release_command: null, ...change };
};
const carryOut = (change: Partial<RunOrder> = {}) =>
  world.control.result(world.control.dispatch(ofRepository(change)));
const plain = (...names: string[]): { variables: RunVariables } => ({
  variables: {
    account_id: ids.account(),
    ...{ revision: 1, deployed: false },
    plain: names.map((name) => ({ name, value: "x" })),
    secrets: [],
  },
});
const refused = (rule: string, ...parts: string[]) => ({
  outcome: "failed",
  failure: {
    code: "refused_by_policy",
    message: expect.stringMatching(
      new RegExp(`^this server's policy \\(${rule}\\) does not allow .*${parts.join(".*")}`),
    ),
  },
});

describe("under the strict policy", () => {
  it("a repository runs its own commands, and is scaled and restarted", async () => {
    await world.startAgent();
    expect(await carryOut({ ...world.source({ was_live: false }), ...plain("RAILS_ENV") })).toMatchObject({
      outcome: "live",
    });
    await expect.poll(touched).toEqual(["install", "build", "release", "worker"]);
    const scaled = { reuse_release: 1, preapproved: true, processes: { worker: { instances: 2 } } };
    expect(await carryOut(scaled)).toMatchObject({ outcome: "live" });
    expect(await carryOut({ ...scaled, restart: ["worker"] })).toMatchObject({ outcome: "live" });
    await expect.poll(() => touched().filter((line) => line === "worker").length).toBeGreaterThanOrEqual(4);
  });

  it("a command or a variable of the settings is refused, with the rule, the file, the setting and what to do", async () => {
    await world.startAgent();
    const evil = touch("evil");
    const orders: [Partial<RunOrder>, ...parts: string[]][] = [
      [{ install_command: evil }, "build_commands", "\\(install_command\\)", "gantry.json"],
      [{ framework: "laravel" }, "build_commands", "\\(framework\\)", "gantry.json"],
      [{ build_command: evil }, "build_commands", "\\(build_command\\)", "gantry.json"],
      [{ release_command: evil }, "release_commands", "\\(release_command\\)", "Procfile"],
      [{ activate_command: evil }, "activate_commands", "the policy file"],
      [
        { processes: { worker: { command: evil } } },
        "processes",
        "\\(processes.worker.command\\)",
        "Procfile",
      ],
      [{ processes: { constructor: { command: evil } } }, "processes", "processes.constructor.command"],
      [
        { cron: [{ name: "nightly", schedule: "0 3 * * *", command: evil }] },
        "cron",
        "\\(the job nightly\\)",
        "gantry.json",
      ],
      [plain("NODE_OPTIONS"), "variables", "NODE_OPTIONS", '\\["no_loaders", "NODE_OPTIONS"\\]'],
      [world.source({ repository: "https://git.example.com/evil/site" }), "repositories", "the policy file"],
    ];
    for (const [change, rule = "", ...parts] of orders) {
      const result = await carryOut(change);
      expect({ change, result }).toMatchObject({ change, result: refused(rule, ...parts) });
    }
    expect(existsSync(world.file("touched"))).toBe(false);
    expect(world.current).toBeNull();
  });

  it("what an earlier policy allowed is not rolled back to, and no longer started", async () => {
    const evil = { processes: { worker: { command: app("evil") } }, ...plain("NODE_OPTIONS") };
    const steps: [string, Partial<RunOrder>][] = [
      ["variables", plain("NODE_OPTIONS")],
      ["processes", { processes: evil.processes }],
    ];
    for (const [rule, change] of steps) {
      world.policy = { commits: "any" };
      const agent = await world.startAgent();
      world.repository.commit({ "gantry.json": JSON.stringify({ output_directory: "." }) });
      expect(await carryOut(change)).toMatchObject({ outcome: "live" });
      await agent.stop();
      // As after a reboot: the instances that must run are gone.
      await world.endInstances();
      world.policy = strict();
      const strictly = await world.startAgent();
      await expect
        .poll(() => world.logLines.join("\n"))
        .toMatch(new RegExp(`cannot be started: this server's policy \\(${rule}\\) does not allow`));
      await strictly.stop();
    }
    const [built] = world.releases;
    expect(built).toBeDefined();
    const record = world.path("releases", `${built}.json`);
    const release = JSON.parse(readFileSync(record, "utf8"));
    expect(release.commands_from).toBe("repository");
    await world.startAgent();
    writeFileSync(record, JSON.stringify({ ...release, commands_from: "settings" }));
    expect(await carryOut({ reuse_release: built ?? 0 })).toMatchObject(
      refused("build_commands", `release ${built}`, "Deploy its commit again"),
    );
  });

  it("a list of variables allows the variables that it names, and others with no_loaders", async () => {
    world.policy = { ...strict(), variables: ["no_loaders", "NODE_OPTIONS"] };
    const agent = await world.startAgent();
    expect(await carryOut(plain("NODE_OPTIONS", "DATABASE_URL"))).toMatchObject({ outcome: "live" });
    expect(await carryOut(plain("PYTHONPATH"))).toMatchObject(refused("variables", "PYTHONPATH"));
    await agent.stop();
    world.policy = { ...strict(), variables: ["NODE_OPTIONS"] };
    await world.startAgent();
    expect(await carryOut(plain("DATABASE_URL"))).toMatchObject(refused("variables", "DATABASE_URL"));
  });
});

it.each([
  ...["BASH_ENV", "ENV", "PATH", "LD_PRELOAD", "GIT_SSH_COMMAND", "NODE_OPTIONS", "npm_config_script_shell"],
  ...["PYTHONPATH", "PIP_INDEX_URL", "RUBYOPT", "PERL5OPT", "PHP_INI_SCAN_DIR", "JAVA_TOOL_OPTIONS"],
  ...["RUSTC_WRAPPER", "GOFLAGS", "https_proxy", "NVM_NODEJS_ORG_MIRROR", "MISE_NODE_MIRROR_URL", "HOME"],
])("%s is known to load code", (name) => expect(loadsCode({ name, value: null })).toBe(true));

it.each([
  ...[
    "DATABASE_URL",
    "NODE_ENV",
    "RAILS_ENV",
    "SECRET_KEY_BASE",
    "PORT",
    "TRUST_PROXY",
    "FEATURE_FLAGS",
    "APP_ENV",
  ],
  ...["PYTHONUNBUFFERED", "RUST_LOG", "BUNDLE_WITHOUT", "NPM_TOKEN", "GITHUB_TOKEN", "WEB_CONCURRENCY", "TZ"],
])("%s is an ordinary variable", (name) => expect(loadsCode({ name, value: "80" })).toBe(false));

it.each(["1 --config /proc/self/environ", "1\n2", null])("PORT with the value %j is not a port", (value) =>
  expect(loadsCode({ name: "PORT", value })).toBe(true),
);
