import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readSealKey } from "#agent/secrets/seal-key.ts";

import { messagesOf, AgentWorld } from "../support/harness.ts";
import { enrollAgent } from "../support/agent-process.ts";
import { sealForTwo, sealVariables } from "../support/sealed-variables.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const variables = (
  ...given: Parameters<typeof sealVariables> extends [AgentWorld, ...infer Rest] ? Rest : never
) => sealVariables(world, ...given);

/** Every file below a folder, as text. */
function filesIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return files.map((path) => readFileSync(path, "latin1")).join("\n");
}

const write = (name: string, path: string) => `printf '%s' "$${name}" > ${path}`;

describe("an order's variables", () => {
  it("are in the environment of its commands: secrets in builds only if they say so", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: "env > build.txt",
      activate_command: `env > ${world.path("activate.txt")}`,
      variables: await variables(
        {
          MODE: "production",
          PATH: `/opt/own:${process.env["PATH"]}`,
          MOTTO: "two\nlines 'and' \"quotes\" $HOME",
        },
        {
          DATABASE_URL: { value: "postgres://app:geheim@db" },
          NPM_TOKEN: { value: "npm_0123456789", build: true },
          GANTRY_REPOSITORY_TOKEN: { value: "ghp_0123456789" },
          GANTRY_REGISTRY_TOKEN: { value: "ada:pull_0123456789@ghcr.io" },
        },
      ),
    });
    expect(result.outcome).toBe("live");
    const build = world.read("current/build.txt");
    const activate = world.read("activate.txt");
    for (const environment of [build, activate]) {
      expect(environment).toContain("MODE=production\n");
      expect(environment).toContain("PATH=/opt/own:");
      expect(environment).toContain("MOTTO=two\nlines 'and' \"quotes\" $HOME\n");
      expect(environment).toContain("NPM_TOKEN=npm_0123456789\n");
      expect(environment).not.toContain("ghp_0123456789");
      expect(environment).not.toContain("pull_0123456789");
    }
    expect(build).not.toContain("DATABASE_URL");
    expect(activate).toContain("DATABASE_URL=postgres://app:geheim@db\n");
  });

  it("do not replace what Gantry itself sets", async () => {
    await world.startAgent();
    await world.deploy({ build_command: "env > build.txt", variables: await variables({ CI: "false" }) });
    expect(world.read("current/build.txt")).toContain("CI=true\n");
  });
});

describe("a secret", () => {
  it("is masked in every line of output and in the evidence of a failure", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({
      build_command: 'echo token=$TOKEN; echo "$KEY"; echo $TOKEN >&2; echo ${TOKEN}x | cut -c 2-; exit 3',
      variables: await variables(
        {},
        {
          TOKEN: { value: "correct-horse.*", build: true },
          KEY: { value: "-----BEGIN-----\nMIIEowIBAAKC\n-----END-----", build: true },
        },
      ),
    });
    expect(messagesOf(run, "stdout")).toEqual(["token=***", "***", "***", "***", "orrect-horse.*x"]);
    expect(JSON.stringify(result)).not.toContain("correct-horse");
  });

  it("is written to no file of the server, and its own folder is closed to others", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: "echo $TOKEN",
      activate_command: "echo $TOKEN",
      variables: await variables({}, { TOKEN: { value: "correct-horse-battery", build: true } }),
    });
    expect(result.outcome).toBe("live");
    expect(filesIn(world.home)).not.toContain("correct-horse");
    expect(statSync(world.path("variables")).mode & 0o777).toBe(0o700);
    expect(statSync(join(world.home, "seal.json")).mode & 0o777).toBe(0o600);
  });

  it("of another project, another name or another server fails the deployment with its name", async () => {
    await world.startAgent();
    const given = await variables(
      {},
      { TOKEN: { value: "correct-horse" }, OTHER: { value: "battery-staple" } },
    );
    const [token, other] = given.secrets.map(({ sealed }) => sealed);
    const swapped = given.secrets.map((secret, at) => ({
      ...secret,
      sealed: (at === 0 ? other : token) ?? null,
    }));
    for (const secrets of [swapped, given.secrets.map((secret) => ({ ...secret, sealed: null }))]) {
      const { result } = await world.deploy({
        build_command: "touch built",
        variables: { ...given, secrets },
      });
      expect(result).toMatchObject({
        outcome: "failed",
        failure: { code: "secrets_unreadable", stage: "fetch" },
      });
      expect(JSON.stringify(result)).toContain("TOKEN, OTHER");
      expect(JSON.stringify(result)).not.toContain("horse");
    }
    expect(existsSync(world.path("current"))).toBe(false);
  });

  it("that is older than an opened revision is refused, also after a restart", async () => {
    const agent = await world.startAgent();
    const old = await variables({}, { TOKEN: { value: "leaked-password", revision: 1 } });
    const fresh = await variables({}, { TOKEN: { value: "rotated-password", revision: 2 } }, { revision: 2 });
    const order = { activate_command: write("TOKEN", world.path("token.txt")) };
    await world.deploy({ ...order, variables: old });
    await world.deploy({ ...order, variables: fresh });
    expect(world.read("token.txt")).toBe("rotated-password");

    await agent.stop();
    await world.startAgent();
    const { result } = await world.deploy({ ...order, variables: old });
    expect(result).toMatchObject({ outcome: "failed", failure: { code: "secrets_unreadable" } });
    expect(world.read("token.txt")).toBe("rotated-password");
    // The same revision again is the usual case: most deployments change no secret.
    expect((await world.deploy({ ...order, variables: fresh })).result.outcome).toBe("live");
  });

  it("that is sealed for several servers is open for the commands, and after a restart without an order", async () => {
    const agent = await world.startAgent();
    const order = { activate_command: write("TOKEN", world.path("token.txt")) };
    const first = await sealForTwo(world, { TOKEN: { value: "correct-horse" } });
    expect((await world.deploy({ ...order, variables: first })).result.outcome).toBe("live");
    expect(world.read("token.txt")).toBe("correct-horse");
    expect(filesIn(world.path("variables"))).not.toContain("correct-horse");

    // A failed activation goes back to the first release with its own secrets, which the agent has stored sealed.
    await agent.stop();
    await world.startAgent();
    const second = await sealForTwo(
      world,
      { TOKEN: { value: "second-secret", revision: 2 } },
      { revision: 2 },
    );
    const failing = { activate_command: `${order.activate_command}; test "$TOKEN" = correct-horse` };
    const { result } = await world.deploy({ ...failing, variables: second });
    expect(result).toMatchObject({ outcome: "failed", failure: { stage: "activate" } });
    expect(world.read("token.txt")).toBe("correct-horse");
  });

  it("of several servers fails the deployment if its ciphertext is another secret's, is missing or was changed", async () => {
    await world.startAgent();
    const secrets = { TOKEN: { value: "correct-horse" }, OTHER: { value: "battery-staple" } };
    const given = await sealForTwo(world, secrets);
    const [token, other] = given.secrets.map(({ sealed }) => sealed);
    if (token === null || token === undefined || other === null || other === undefined)
      throw new Error("both are sealed");
    const { ciphertext = "", ...box } = token;
    const first = ciphertext.startsWith("A") ? "B" : "A";
    for (const sealed of [
      { ...box, ciphertext: other.ciphertext },
      { ...other, ciphertext },
      // As an agent of an earlier version reads it.
      box,
      { ...box, ciphertext: `${first}${ciphertext.slice(1)}` },
      { ...box, ciphertext: ciphertext.slice(0, -4) },
    ]) {
      const { result } = await world.deploy({
        variables: {
          ...given,
          secrets: given.secrets.map((one, at) => (at === 0 ? { ...one, sealed } : one)),
        },
      });
      expect(result).toMatchObject({ failure: { code: "secrets_unreadable", stage: "fetch" } });
      expect(JSON.stringify(result)).toContain("TOKEN");
      expect(JSON.stringify(result)).not.toMatch(/horse|OTHER/);
    }
  });

  it("may have a name that every object of JavaScript has", async () => {
    await world.startAgent();
    const names = ["constructor", "__proto__"];
    const order = {
      activate_command: names.map((name) => write(name, world.path(`${name}.txt`))).join("; "),
    };
    const secrets = (revision: number, older: string) =>
      Object.fromEntries(
        names.map((name) => [name, { value: "correct-horse", revision: name === older ? 1 : revision }]),
      );
    const fresh = await variables({}, secrets(2, ""), { revision: 2 });
    expect((await world.deploy({ ...order, variables: fresh })).result.outcome).toBe("live");
    for (const name of names) {
      expect(world.read(`${name}.txt`)).toBe("correct-horse");
      const { result } = await world.deploy({
        ...order,
        variables: await variables({}, secrets(2, name), { revision: 2 }),
      });
      expect(result).toMatchObject({ failure: { code: "secrets_unreadable" } });
    }
  });

  it("can be forbidden by the policy, in builds or at all", async () => {
    for (const rule of ["no_builds", "none"] as const) {
      world.policy = { secrets: rule };
      const agent = await world.startAgent();
      const given = await variables({}, { TOKEN: { value: "correct-horse", build: true } });
      const { result } = await world.deploy({ variables: given });
      expect(result).toMatchObject({ failure: { code: "refused_by_policy" } });
      const running = given.secrets.map((secret) => ({ ...secret, build: false }));
      const other = await world.deploy({ variables: { ...given, secrets: running } });
      expect(other.result.outcome).toBe(rule === "none" ? "failed" : "live");
      await agent.stop();
    }
  });
});

describe("a server's seal key", () => {
  it("is created at the enrolment, printed, sent in hello, and kept", async () => {
    const enrolled = await enrollAgent(world);
    const key = await readSealKey(world.home);
    expect(enrolled.output()).toContain(
      `the fingerprint of this server's seal key is ${key?.shown.fingerprint}`,
    );
    const agent = await world.startAgent();
    expect(world.control.lastHello?.seal_key).toEqual(key?.shown);
    await agent.stop();
    await world.startAgent();
    expect(world.control.lastHello?.seal_key).toEqual(key?.shown);
  });
});
