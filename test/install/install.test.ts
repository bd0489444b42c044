import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Gantry } from "../openapi/support/gantry.ts";
import { readServer, registerServer } from "../support/enrolments.ts";
import { type Machine, setUpMachines } from "../support/machine.ts";
import { runShell } from "../support/run-shell.ts";
import { startInstance } from "../support/supervised-instance.ts";

let gantry: Gantry;
let machine: Machine;
setUpMachines((...made) => {
  [machine, gantry] = made;
});

describe("the enrolment command of a new server", () => {
  it("installs an agent that connects and deploys, changes nothing when run again, and leaves nothing after a purge", async () => {
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
    expect(again.output).toContain("This server stays enrolled");
    expect(again.output).toContain(`process ${agent.pid} still runs`);
    expect(again.code).toBe(0);

    const refused = await machine.install(null, ["--uninstall"]);
    expect(refused).toMatchObject({
      code: 11,
      output: expect.stringContaining(`process ${agent.pid}. Stop it`),
    });
    await machine.end(agent);
    const instance = await startInstance(home, join(machine.prefix, "lib/gantry/gantry-agent.mjs"));
    const removed = await machine.install(null, ["--uninstall"]);
    expect(removed.output).toContain(`kept: ${home}, with the projects' files`);
    expect(removed.output).toContain(`DELETE ${gantry.url}/v1/servers/${server.id}`);
    expect(existsSync(program)).toBe(false);
    expect(existsSync(page)).toBe(true);
    expect(existsSync(`/proc/${instance}`)).toBe(false);
    expect((await machine.install(null, ["--uninstall", "--purge"])).code).toBe(0);
    expect(existsSync(machine.prefix)).toBe(false);
    expect((await machine.install(null, ["--uninstall", "--purge"])).code).toBe(16);
  });

  it("installs an agent that works with the machine's own Node, which may be older", async ({ skip }) => {
    const [, ...path] = machine.environment().PATH.split(delimiter);
    const found = await runShell(["sh", "-c", "command -v node"], { env: { PATH: path.join(delimiter) } });
    if (found.code !== 0) skip("this machine has no Node besides node_modules");
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
    // Records its arguments, then runs node.
    const seen = join(machine.folder, "seen");
    const env = machine.withProgram("node", `echo "$@" >> ${seen}\nexec ${process.execPath} "$@"`);
    expect((await machine.install(enrollment.token, [], { env })).code).toBe(0);
    expect(readFileSync(seen, "utf8")).toContain("enroll --url");
    expect(readFileSync(seen, "utf8")).not.toContain(enrollment.token);
  });
});

describe("an update", () => {
  it("that does not start is not installed, and an update that starts replaces the old file", async () => {
    const { enrollment } = await registerServer(gantry);
    await machine.install(enrollment.token);
    const lib = join(machine.prefix, "lib/gantry");
    const file = join(lib, "gantry-agent.mjs");
    const before = readFileSync(file, "utf8");
    machine.site.release("this is no program");
    const broken = await machine.install(null);
    expect(broken).toMatchObject({ code: 12, output: expect.stringContaining("Nothing was changed") });
    expect(readFileSync(file, "utf8")).toBe(before);
    machine.site.release(`${before}\n// newer\n`);
    expect((await machine.install(null)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("// newer");
    await machine.startAgent();
    const left = machine.installed.filter((name) => name.startsWith("lib/gantry/"));
    expect(left).toEqual(["lib/gantry/gantry-agent.mjs", "lib/gantry/install.sh", "lib/gantry/installed"]);
  });

  it("by the command of another control plane is refused without a token of that control plane", async () => {
    const { enrollment } = await registerServer(gantry);
    await machine.install(enrollment.token);
    const path = join(machine.home, "agent.json");
    const enrolled = readFileSync(path, "utf8");
    writeFileSync(path, enrolled.replace(gantry.url, "https://other.example"));
    expect(await machine.install(null)).toMatchObject({
      code: 9,
      output: expect.stringMatching(
        /enrolled with https:\/\/other\.example, .* Run the install line of https:/,
      ),
    });
    const other = await registerServer(gantry);
    expect((await machine.install(other.enrollment.token)).code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain(other.id);
  });

  it("is readable by the agent's user with any umask of the installer", async () => {
    const { enrollment } = await registerServer(gantry);
    const ended = await runShell(
      ["sh", "-c", `umask 077; exec sh -s -- --no-service --prefix ${machine.prefix}`],
      {
        input: await machine.installer(),
        env: { ...machine.environment(), GANTRY_TOKEN: enrollment.token },
      },
    );
    expect(ended.code).toBe(0);
    for (const name of ["", "bin", "bin/gantry-agent", "lib/gantry", "lib/gantry/gantry-agent.mjs"])
      expect(statSync(join(machine.prefix, name)).mode & 0o044).toBe(0o044);
  });
});

describe("an agent of another protocol version", () => {
  /** Serves the current agent with the next protocol version. */
  async function releaseNewer(): Promise<void> {
    const script = await machine.installer();
    const [, name] = /^agent_file='(.*)'$/m.exec(script) ?? [];
    const file = await (await fetch(`${machine.site.url}/agent/${name}`)).text();
    const newer = file.replace(/\bPROTOCOL_VERSION=2\b/, "PROTOCOL_VERSION=3");
    expect(newer).not.toBe(file);
    machine.site.release(newer);
  }

  it("is not enrolled, and the token stays valid for a matching agent", async () => {
    const server = await registerServer(gantry);
    await releaseNewer();
    const refused = await machine.install(server.enrollment.token);
    expect(refused).toEqual({
      code: 14,
      output: expect.stringMatching(/agent speaks protocol 3, this installation 2: .*\/install\.sh/),
    });
    expect(machine.installed).toEqual([]);
    expect((await machine.runLine(server)).code).toBe(0);
  });

  it("tells the server and its owner what to do, and the install command fixes it", async () => {
    const server = await registerServer(gantry);
    expect((await machine.runLine(server)).code).toBe(0);
    await releaseNewer();
    expect((await machine.install(null)).code).toBe(0);
    const newer = machine.spawnAgent();
    const status = async () => (await machine.status()).output;
    await expect
      .poll(status)
      .toMatch(
        /^not connected to .*: This agent speaks protocol 3, the control plane 2\. .*install\.sh \| sh\./,
      );
    await expect
      .poll(async () => (await readServer(gantry, server.id)).agent_problem)
      .toMatchObject({ code: "protocol_mismatch", message: expect.stringContaining("speaks protocol 3") });
    expect((await readServer(gantry, server.id)).status).toBe("offline");

    machine.site.release(null);
    expect((await machine.install(null)).code).toBe(0);
    await machine.end(newer);
    await machine.startAgent();
    expect(await readServer(gantry, server.id)).toMatchObject({ agent_problem: null });
    await machine.deploySite(server);
  });
});

describe("an uninstall", () => {
  it("never removes a folder that existed before the installation", async () => {
    const { enrollment } = await registerServer(gantry);
    const own = join(machine.folder, "own");
    mkdirSync(own);
    writeFileSync(join(own, "letter"), "keep");
    await machine.install(enrollment.token);
    const elsewhere = await machine.install(null, ["--uninstall", "--purge", "--home", own]);
    expect(elsewhere.code).toBe(0);
    expect(readFileSync(join(own, "letter"), "utf8")).toBe("keep");

    const second = await registerServer(gantry);
    expect((await machine.install(second.enrollment.token)).code).toBe(0);
    const moved = await registerServer(gantry);
    expect((await machine.install(moved.enrollment.token, ["--home", `${own}/`])).code).toBe(0);
    expect(existsSync(join(own, "agent.json"))).toBe(true);
    await startInstance(own, join(machine.prefix, "lib/gantry/gantry-agent.mjs"));
    rmSync(join(own, "pid"));
    expect((await machine.install(null, ["--uninstall", "--purge"])).code).toBe(0);
    expect(readdirSync(own)).toEqual(["letter"]);
  });

  it("without an installation in its folders fails, and says which options it may need", async () => {
    const { code, output } = await machine.install(null, ["--uninstall"]);
    expect(code).toBe(16);
    expect(output).toContain(`no agent in ${machine.prefix}`);
    expect(output).toContain("--no-service, --prefix or --home");
  });
});
