import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readSealKey } from "#agent/secrets/seal-key.ts";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { enrollAgent, spawnAgent } from "../../../agent/support/agent-process.ts";
import { sealVariables } from "../../../agent/support/sealed-variables.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const variables = (
  ...given: Parameters<typeof sealVariables> extends [AgentWorld, ...infer Rest] ? Rest : never
) => sealVariables(world, ...given);

const write = (name: string, path: string) => `printf '%s' "$${name}" > ${path}`;

describe("an order's variables", () => {
  it("may be values of 512 KiB in total whose JSON is six times as long", async () => {
    await world.startAgent();
    const value = "\u0001".repeat(32 * 1024);
    const names = Array.from({ length: 16 }, (_, at) => `LONG_${at}`);
    const { result } = await world.deploy({
      build_command: 'printf %s "$LONG_15" | wc -c > build.txt',
      variables: await variables(Object.fromEntries(names.map((name) => [name, value])), {}),
    });
    expect(result.outcome).toBe("live");
    expect(readFileSync(world.path("current/build.txt"), "utf8").trim()).toBe("32768");
  });

  it("may be 200 secrets of 512 KiB in total", async () => {
    await world.startAgent();
    const secrets = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`S${at}`, { value: `${at}`.padEnd(2_600, "x"), build: true }]),
    );
    const { result } = await world.deploy({
      build_command: "env | grep -c '^S[0-9]*=' > count.txt",
      variables: await variables({}, secrets),
    });
    expect(result.outcome).toBe("live");
    expect(world.read("current/count.txt")).toBe("200\n");
  });
});

describe("a secret", () => {
  it("that is older is opened for a rollback to a release that was live with it, and for no other", async () => {
    await world.startAgent();
    const old = await variables({}, { TOKEN: { value: "first-password", revision: 1 } });
    const fresh = await variables({}, { TOKEN: { value: "second-password", revision: 2 } }, { revision: 2 });
    const order = { activate_command: write("TOKEN", world.path("token.txt")), keep_releases: [1, 2, 3] };
    await world.deploy({ ...order, variables: old });
    await world.deploy({ ...order, variables: fresh });
    const rollback = { ...order, preapproved: true, variables: { ...old, deployed: true } };

    const other = await world.deploy({ ...rollback, reuse_release: 2 });
    expect(other.result).toMatchObject({ failure: { code: "secrets_unreadable" } });
    const built = await world.deploy({ ...rollback, reuse_release: null });
    expect(built.result).toMatchObject({ failure: { code: "secrets_unreadable" } });
    const { result } = await world.deploy({ ...rollback, reuse_release: 1 });
    expect(result.outcome).toBe("live");
    expect(world.read("token.txt")).toBe("first-password");
  });

  it("that is older is opened for a rollback to another release while it is live, and not later", async () => {
    await world.startAgent();
    const sealed = (value: string, revision: number) =>
      variables({}, { TOKEN: { value, revision } }, { revision });
    const live = await sealed("live-password", 2);
    const order = { activate_command: write("TOKEN", world.path("token.txt")), keep_releases: [1, 2, 3] };
    await world.deploy({ ...order, variables: await sealed("first-password", 1) });
    await world.deploy({ ...order, variables: live });
    const failed = { ...order, activate_command: "false", variables: await sealed("new-password", 3) };
    expect((await world.deploy(failed)).result.outcome).toBe("failed");
    const rollback = { ...order, preapproved: true, variables: { ...live, deployed: true } };
    expect((await world.deploy({ ...rollback, reuse_release: 1 })).result.outcome).toBe("live");
    expect(world.read("token.txt")).toBe("live-password");
    await world.deploy({ ...order, variables: await sealed("new-password", 3) });
    expect((await world.deploy({ ...rollback, reuse_release: null })).result).toMatchObject({
      failure: { code: "secrets_unreadable" },
    });
  });

  it("that is older than its release's revision is refused in that rollback, too", async () => {
    await world.startAgent();
    const sealed = (value: string, revision: number) =>
      variables({}, { TOKEN: { value, revision } }, { revision });
    const [leaked, second, third] = [
      await sealed("leaked", 1),
      await sealed("second", 2),
      await sealed("third", 3),
    ];
    const order = { activate_command: write("TOKEN", world.path("token.txt")), keep_releases: [1, 2, 3] };
    for (const given of [leaked, second, third]) await world.deploy({ ...order, variables: given });
    const replayed = { ...second, deployed: true, secrets: leaked.secrets };
    const { result } = await world.deploy({
      ...order,
      preapproved: true,
      reuse_release: 2,
      variables: replayed,
    });
    expect(result).toMatchObject({ failure: { code: "secrets_unreadable" } });
    expect(world.read("token.txt")).toBe("third");
  });

  it.each(["constructor", "__proto__"])("with the name %s is refused when it is older, too", async (name) => {
    await world.startAgent();
    const sealed = (value: string, revision: number) =>
      variables({}, Object.fromEntries([[name, { value, revision }]]), { revision });
    expect((await world.deploy({ variables: await sealed("fresh-password", 2) })).result.outcome).toBe(
      "live",
    );
    const { result } = await world.deploy({ variables: await sealed("leaked-password", 1) });
    expect(result).toMatchObject({ failure: { code: "secrets_unreadable" } });
  });

  it("is also accepted after the release was live with newer variables", async () => {
    await world.startAgent();
    const old = await variables({}, { TOKEN: { value: "first-password" } });
    const fresh = await variables({}, { TOKEN: { value: "second-password", revision: 2 } }, { revision: 2 });
    const order = { activate_command: write("TOKEN", world.path("token.txt")), keep_releases: [1, 2] };
    await world.deploy({ ...order, variables: old });
    const rollback = { ...order, preapproved: true, reuse_release: 1 };
    await world.deploy({ ...rollback, variables: fresh });
    expect(world.read("token.txt")).toBe("second-password");

    const { result } = await world.deploy({ ...rollback, variables: { ...old, deployed: true } });
    expect(result.outcome).toBe("live");
    expect(world.read("token.txt")).toBe("first-password");
  });

  it("is given again to the activate command of the earlier release when a new one fails, without an order", async () => {
    await world.startAgent();
    const order = { activate_command: write("TOKEN", world.path("token.txt")) };
    const first = await variables({}, { TOKEN: { value: "first-password" } });
    await world.deploy({ ...order, variables: first });
    const { run, result } = await world.deploy({
      activate_command: `${order.activate_command}; exit 1`,
      variables: await variables({}, { TOKEN: { value: "second-password", revision: 2 } }, { revision: 2 }),
    });
    expect(result).toMatchObject({ failure: { code: "activate_failed" } });
    expect(world.read("token.txt")).toBe("first-password");
    expect(messagesOf(run).join("\n")).not.toContain("password");
    expect(readdirSync(world.path("variables"))).toEqual(["1.json"]);
  });
});

describe("a server's seal key", () => {
  it("stops the agent with what to do if it is damaged, and is replaced if it was deleted", async () => {
    await enrollAgent(world);
    const path = join(world.home, "seal.json");
    const before = await readSealKey(world.home);
    writeFileSync(path, "{");
    const agent = spawnAgent(["run", "--home", world.home]);
    expect(await agent.exited).toBe(78);
    expect(agent.output()).toContain(
      `The seal key ${path} cannot be used: it is damaged. Restore the file, or delete it`,
    );
    rmSync(path);
    await world.startAgent();
    expect(world.control.lastHello?.seal_key?.fingerprint).not.toBe(before?.shown.fingerprint);
  });
});
