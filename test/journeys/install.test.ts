import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Gantry, startGantry } from "../openapi/support/gantry.ts";
import { readServer, registerServer } from "../support/enrolments.ts";
import { Machine } from "../support/machine.ts";
import { runShell, type ShellEnd } from "../support/run-shell.ts";

let gantry: Gantry;
let machine: Machine;
beforeAll(async () => {
  gantry = await startGantry();
});
afterAll(() => gantry.close());
beforeEach(async () => {
  machine = await Machine.create(gantry);
});
afterEach(() => machine.close());

/** Of the right form, for what ends before anybody looks at it. */
const TOKEN = "gantry_enroll_x";

describe("the line that a new server is answered with", () => {
  it("installs an agent that connects and deploys; run again it changes nothing; and back again nothing is left", async () => {
    const server = await registerServer(gantry);
    const { home, program } = machine;
    const installed = await machine.runLine(server);
    expect(installed).toMatchObject({ code: 0, output: expect.stringContaining(`enrolled as ${server.id}`) });
    expect(installed.output).toContain(`run it with: ${program} run`);
    expect(statSync(join(home, "agent.json")).mode & 0o777).toBe(0o600);

    const agent = await machine.startAgent();
    expect((await machine.status()).output).toContain(`connected to ${gantry.url} as ${server.id}`);
    const page = await machine.deploySite(server);
    const again = await machine.install(server.enrollment.token);
    expect(again.output).toContain("stays enrolled as it is");
    expect(again.output).toContain(`process ${agent.pid} still runs`);
    expect(again.code).toBe(0);

    const refused = await machine.install(null, ["--uninstall"]);
    expect(refused).toMatchObject({
      code: 11,
      output: expect.stringContaining(`process ${agent.pid}. End it`),
    });
    await machine.end(agent);
    const removed = await machine.install(null, ["--uninstall"]);
    expect(removed.output).toContain(`left: ${home}, with the projects' files`);
    expect(removed.output).toContain(`DELETE ${gantry.url}/v1/servers/${server.id}`);
    expect(existsSync(program)).toBe(false);
    expect(existsSync(page)).toBe(true);
    expect((await machine.install(null, ["--uninstall", "--purge"])).code).toBe(0);
    expect(existsSync(machine.prefix)).toBe(false);
    expect((await machine.install(null, ["--uninstall", "--purge"])).code).toBe(0);
  });

  it("installs an agent that works with the Node of the machine, which may be an older one", async ({
    skip,
  }) => {
    const [, ...path] = machine.environment().PATH.split(delimiter);
    const found = await runShell(["sh", "-c", "command -v node"], { env: { PATH: path.join(delimiter) } });
    if (found.code !== 0) skip("this machine has no Node but that of the packages");
    const env = machine.environment(found.output.trim());
    const server = await registerServer(gantry);
    expect((await machine.runLine(server, env)).code).toBe(0);
    const { output } = await runShell([machine.program, "--version"], { env });
    expect(output).toMatch(/^gantry-agent \d+\.\d+\.\d+, protocol \d+, Node v\d+/);
    await machine.startAgent(env);
    await machine.deploySite(server);
  });

  it("keeps the token out of the arguments of every program", async () => {
    const { enrollment } = await registerServer(gantry);
    expect(enrollment.command).toMatch(/\| GANTRY_TOKEN=\w+ sh$/);
    // Notes how it is called, then is node.
    const seen = join(machine.folder, "seen");
    const env = machine.withProgram("node", `echo "$@" >> ${seen}\nexec ${process.execPath} "$@"`);
    expect((await machine.install(enrollment.token, [], { env })).code).toBe(0);
    expect(readFileSync(seen, "utf8")).toContain("enroll --url");
    expect(readFileSync(seen, "utf8")).not.toContain(enrollment.token);
  });
});

describe("an update", () => {
  it("that does not start is never put in place, and one that does takes the place of the old file", async () => {
    const { enrollment } = await registerServer(gantry);
    await machine.install(enrollment.token);
    const lib = join(machine.prefix, "lib/gantry");
    const file = join(lib, "gantry-agent.mjs");
    const before = readFileSync(file, "utf8");
    machine.site.release("this is no program");
    const broken = await machine.install(null);
    expect(broken).toMatchObject({ code: 12, output: expect.stringContaining("nothing was changed") });
    expect(readFileSync(file, "utf8")).toBe(before);
    machine.site.release(`${before}\n// newer\n`);
    expect((await machine.install(null)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("// newer");
    await machine.startAgent();
    const left = machine.installed.filter((name) => name.startsWith("lib/gantry/"));
    expect(left).toEqual(["lib/gantry/gantry-agent.mjs", "lib/gantry/install.sh", "lib/gantry/installed"]);
  });
});

describe("a mistake or a fault", () => {
  const withProgram = async (name: string, script: string) =>
    await machine.install(TOKEN, [], { env: machine.withProgram(name, script) });

  const mistakes: [string, number, RegExp, () => Promise<ShellEnd>][] = [
    ["no token", 9, /not enrolled.*POST \/v1\/servers/, () => machine.install(null)],
    ["another kind of token", 10, /no enrolment token/, () => machine.install("gantry_live_x")],
    [
      "an unknown token",
      10,
      /refused the enrolment.*malformed, unknown/,
      () => machine.install(`${TOKEN}${"x".repeat(35)}`),
    ],
    ["an unknown option", 2, /there is no option --colour/, () => machine.install(null, ["--colour"])],
    ["an option without its value", 2, /--home needs a value/, () => machine.install(null, ["--home"])],
    ["a relative path", 2, /--home needs an absolute path/, () => machine.install(null, ["--home", "here"])],
    [
      "a path with a quote",
      2,
      /characters that Gantry does not take/,
      () => machine.install(null, ["--home", "/tmp/a'b"]),
    ],
    ["--purge alone", 2, /goes with --uninstall/, () => machine.install(null, ["--purge"])],
    [
      "an old Node",
      5,
      /Node 20 or newer is needed; .* is 18\.19\.0/,
      () => withProgram("node", "echo 18.19.0"),
    ],
    [
      "an old git",
      5,
      /git 2\.31 or newer is needed; here is 2\.25\.1/,
      () => withProgram("git", "echo git version 2.25.1"),
    ],
    ["another system", 4, /needs Linux; this is Darwin/, () => withProgram("uname", "echo Darwin")],
    [
      "a service without root",
      6,
      /become root/,
      async () =>
        await runShell(["sh", "-s", "--", "--prefix", machine.prefix], {
          input: await machine.installer(),
          env: machine.withProgram("id", "echo 1000"),
        }),
    ],
    [
      "a target that cannot be written to",
      13,
      /cannot be written to/,
      () => machine.install(TOKEN, ["--prefix", "/proc/nowhere"]),
    ],
    [
      "a control plane that is gone",
      7,
      /cannot be downloaded/,
      async () => {
        const script = await machine.installer();
        await machine.site.close();
        return await machine.install(TOKEN, [], { script });
      },
    ],
    [
      "a damaged download",
      8,
      /SHA-256 differs. Nothing was installed/,
      () => {
        machine.site.damagedAgent = "half a fi";
        return machine.install(TOKEN);
      },
    ],
  ];

  it.each(mistakes)(
    "%s ends with %i, says what to do, and leaves nothing",
    async (_what, code, message, run) => {
      expect(await run()).toEqual({ code, output: expect.stringMatching(message) });
      expect(machine.installed).toEqual([]);
    },
  );

  it("a script of which only the beginning arrived does nothing, wherever it breaks off", async () => {
    const script = await machine.installer();
    const server = await registerServer(gantry);
    const nearlyAll = [script.indexOf('\nmain "$@"') + 6, script.length - 8, script.length - 3];
    for (const length of [60, 200, script.length / 3, script.length / 2, ...nearlyAll]) {
      const start = script.slice(0, Math.floor(length));
      const broken = await machine.install(server.enrollment.token, [], { script: start });
      expect(broken.output).not.toContain("gantry:");
      expect(machine.installed).toEqual([]);
    }
    expect((await readServer(gantry, server.id)).enrolled_at).toBeNull();
    expect((await machine.install(server.enrollment.token)).code).toBe(0);
  });
});

describe("the script", () => {
  const shells = [
    ["bash", "--posix"],
    ["busybox", "sh"],
  ] as const;

  it.each(shells)("runs in %s as well, with wget where there is no curl", async (name, argument) => {
    const env = machine.environment();
    const find = async (tool: string) => (await runShell(["sh", "-c", `command -v ${tool}`], { env })).output;
    const { enrollment } = await registerServer(gantry);
    // A PATH with all that the script may use but curl.
    const tools = join(machine.folder, "only");
    mkdirSync(tools);
    const needed =
      "awk cat chmod chown cp cut git grep head id mkdir mktemp mv rm rmdir sed sh sleep tr uname wget";
    for (const tool of new Set([...needed.split(" "), name])) {
      const path = (await find(tool)).trim();
      if (path === "" && (tool === name || tool === "wget")) return;
      if (path.startsWith("/")) symlinkSync(path, join(tools, tool));
    }
    symlinkSync(process.execPath, join(tools, "node"));
    const ended = await runShell([name, argument, "-s", "--", "--no-service", "--prefix", machine.prefix], {
      input: await machine.installer(),
      env: { PATH: tools, HOME: machine.folder, GANTRY_TOKEN: enrollment.token },
    });
    expect(ended).toEqual({ code: 0, output: expect.stringContaining("run it with") });
  });

  it("is clean by shellcheck, where the machine has it", async ({ skip }) => {
    const script = new URL("../../src/agent/install/install.sh", import.meta.url).pathname;
    const env = machine.environment();
    if ((await runShell(["sh", "-c", "command -v shellcheck"], { env })).code !== 0)
      skip("no shellcheck here");
    expect(await runShell(["shellcheck", script], { env })).toEqual({ code: 0, output: "" });
  });
});
