import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { exitCodes } from "#agent/main/exit-codes.ts";
import { openPolicy } from "#agent/policy/policy.ts";
import { readPolicy } from "#agent/policy/read-policy.ts";

import { enrollAgent, spawnAgent } from "../support/agent-process.ts";
import { AgentWorld } from "../support/harness.ts";

let folder: string;
const path = () => join(folder, "policy.json");
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-policy-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string, mode = 0o644): void => {
  writeFileSync(path(), text);
  chmodSync(path(), mode);
};

const isRoot = process.getuid?.() === 0;

describe("a policy file", () => {
  it("limits only the settings that it names, and commits that no branch or tag contains", async () => {
    write('{"version": 1}');
    const policy = { ...openPolicy, commits: "reachable" };
    expect(await readPolicy(path())).toEqual({ kind: "read", policy });
    // The same as without a policy.
    expect(openPolicy.commits).toBe("any");
    const full = {
      version: 1,
      repositories: ["git@github.com:acme/*"],
      branches: ["main", "release/*"],
      commits: "none",
      build_commands: ["npm ci && npm run build"],
      activate_commands: "none",
      release_commands: ["make migrate"],
      processes: ["node server.mjs"],
      commands: ["npm run migrate"],
      cron: ["npm run backup"],
      variables: ["no_loaders", "NODE_OPTIONS"],
      shared_paths: ["storage"],
      secrets: "no_builds",
      health_checks: ["https://shop.example.com"],
      deploy_keys: "server",
      artifacts: "accept",
      containers: "any",
      image_signatures: {
        images: { "ghcr.io/acme": "/etc/gantry/keys/acme.pub", "docker.io/library": "accept" },
        others: "refuse",
      },
      balance: ["10.0.0.0/24", "2001:db8::7", "web-2.internal"],
      host_keys: "known",
      remove_projects: "keep_files",
      cache_mb: 512,
      images_mb: 1024,
      limits: { memory_mb_max: 512, tasks_max: 100 },
    };
    write(JSON.stringify(full));
    expect(await readPolicy(path())).toEqual({ kind: "read", policy: full });
    // A policy file that is older than these two rules and allows no activate commands allows neither of them.
    write('{"version": 1, "activate_commands": "none"}');
    expect(await readPolicy(path())).toMatchObject({
      policy: { release_commands: "none", processes: "none" },
    });
  });

  it.each([
    { rule: "artifacts", what: "builds of other machines", allows: "accept", refuses: "refuse" },
    { rule: "containers", what: "containers", allows: "any", refuses: "none" },
  ] as const)(
    "refuses $what where it limits what is deployed and what runs, unless it says otherwise",
    async ({ rule, allows, refuses }) => {
      const ruleOf = async (rules: Record<string, unknown>) => {
        write(JSON.stringify({ version: 1, ...rules }));
        const read = await readPolicy(path());
        return read.kind === "read" ? read.policy[rule] : read.reason;
      };
      expect(openPolicy[rule]).toBe(allows);
      expect(await ruleOf({ commands: "none", limits: { tasks_max: 100 } })).toBe(allows);
      for (const limit of [
        { repositories: "remote" },
        { branches: ["main"] },
        { build_commands: "repository" },
        { processes: "none" },
      ])
        expect(await ruleOf(limit), JSON.stringify(limit)).toBe(refuses);
      expect(await ruleOf({ repositories: "remote", [rule]: allows })).toBe(allows);
    },
  );

  it("refuses to be a balancer where it limits what is deployed and what runs, unless it says otherwise", async () => {
    const ruleOf = async (rules: Record<string, unknown>) => {
      write(JSON.stringify({ version: 1, ...rules }));
      const read = await readPolicy(path());
      return read.kind === "read" ? read.policy.balance : read.reason;
    };
    expect(openPolicy.balance).toBe("any");
    expect(await ruleOf({ commands: "none" })).toBe("any");
    expect(await ruleOf({ repositories: "remote" })).toBe("checks");
    expect(await ruleOf({ repositories: "remote", balance: ["10.0.0.11"] })).toEqual(["10.0.0.11"]);
    expect(await ruleOf({ balance: ["10.0.0.300"] })).toMatch(/must be an address, a range/);
  });

  it("in the documentation is valid, and has every rule", async () => {
    const docs = readFileSync(new URL("../../../docs/servers.md", import.meta.url), "utf8");
    const [, example = ""] = /<!-- policy -->\n```json\n([^]*?)```/.exec(docs) ?? [];
    write(example);
    const { version: _, ...open } = openPolicy;
    for (const rule of Object.keys(open)) expect(docs).toMatch(new RegExp(`^\\|.*\`${rule}\`.* \\|`, "m"));
    const read = await readPolicy(path());
    expect(read).toEqual({ kind: "read", policy: JSON.parse(example) });
    expect(Object.keys(JSON.parse(example)).toSorted()).toEqual(Object.keys(openPolicy).toSorted());
    const [, strict = ""] = /<!-- strict -->\n```json\n([^]*?)```/.exec(docs) ?? [];
    const template = new URL("../../../src/agent/install/strict-policy.json", import.meta.url);
    expect(JSON.parse(strict)).toEqual(JSON.parse(readFileSync(template, "utf8")));
  });

  it.each([
    ["nothing", "", /is not JSON/],
    ["half of one", '{"version": 1, "reposit', /is not JSON/],
    ["another version", '{"version": 2}', /is wrong:[^]*version/],
    ["no version", "{}", /is wrong:[^]*version/],
    ["a mistyped rule", '{"version":1,"repository":["x"]}', /must not have[^]*repository/],
    ["an invalid pattern", '{"version":1,"repositories":["github.com/acme"]}', /must be an address/],
    [
      "a pattern with a password",
      '{"version":1,"repositories":["https://a:b@c.example/*"]}',
      /without a password/,
    ],
    [
      "an origin with a path",
      '{"version":1,"health_checks":["https://a.example/up"]}',
      /only scheme, host and port/,
    ],
    ["an invalid origin", '{"version":1,"health_checks":["shop"]}', /is wrong:[^]*health_checks/],
    ["a list for a rule that takes none", '{"version":1,"remove_projects":["any"]}', /remove_projects/],
    ["only a list", "[]", /is wrong/],
  ])("that holds %s is refused, and the reason says why", async (_what, text, reason) => {
    write(text);
    expect(await readPolicy(path())).toEqual({ kind: "refused", reason: expect.stringMatching(reason) });
  });

  it.each([0o664, 0o646, 0o666])("that others can write to (%o) is refused", async (mode) => {
    write('{"version": 1}', mode);
    expect(await readPolicy(path())).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/can be written to by a group or by others.*chmod go-w/),
    });
  });

  it("in a folder that others can write to is refused, and a link is judged by its target", async () => {
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    writeFileSync(join(open, "policy.json"), '{"version": 1}');
    symlinkSync(join(open, "policy.json"), path());
    expect(await readPolicy(path())).toEqual({
      kind: "refused",
      reason: expect.stringContaining(`${open} can be`),
    });
  });

  it.skipIf(!isRoot)("of another user is refused", async () => {
    write('{"version": 1}');
    chownSync(path(), 65_534, 65_534);
    expect(await readPolicy(path())).toEqual({ kind: "refused", reason: expect.stringContaining("65534") });
  });

  it.each(["missing", "a folder"])("that is %s is refused", async (what) => {
    if (what === "a folder") mkdirSync(path());
    expect((await readPolicy(path())).kind).toBe("refused");
  });
});

describe("an agent", () => {
  it("does not start with an invalid or missing policy, and its exit code tells the supervisor not to restart it", async () => {
    const world = await AgentWorld.create();
    await enrollAgent(world);
    write('{"version": 1, "oops": true}');
    const keyless = join(folder, "keyless.json");
    const image_signatures = { images: { "ghcr.io": join(folder, "gone.pub") }, others: "accept" };
    writeFileSync(keyless, JSON.stringify({ version: 1, image_signatures }), { mode: 0o644 });
    for (const file of [path(), join(folder, "gone.json"), keyless]) {
      const agent = spawnAgent(["run", "--home", world.home, "--policy", file]);
      expect(await agent.exited).toBe(exitCodes.give_up);
      const what = file === keyless ? `the key ${folder}/gone.pub` : `the policy ${file}`;
      expect(agent.output()).toContain(`The agent does not start: ${what}`);
      const checked = spawnAgent(["check-policy", file]);
      expect(await checked.exited).toBe(exitCodes.failed);
    }
    expect(world.control.messages).toEqual([]);
    await world.close();
  });
});
