import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { readScript } from "../../scripts/shared/installer.ts";
import type { Gantry } from "../openapi/support/gantry.ts";
import { readServer, registerServer } from "../support/enrolments.ts";
import { type Machine, setUpMachines } from "../support/machine.ts";
import { runShell, type ShellEnd } from "../support/run-shell.ts";

let gantry: Gantry;
let machine: Machine;
setUpMachines((...made) => {
  [machine, gantry] = made;
});

/** A token of the right form, for installs that end before the token is checked. */
const TOKEN = "gantry_enroll_x";

/** The programs that the script may use without checking that they exist. */
const TOOLS = "awk cat chmod chown cp cut grep head id mkdir mktemp mv rm rmdir sed sh sleep tr uname".split(
  " ",
);

describe("a failed installation", () => {
  const withProgram = async (name: string, script: string) =>
    await machine.install(TOKEN, [], { env: machine.withProgram(name, script) });

  const mistakes: [string, number, RegExp, () => Promise<ShellEnd>][] = [
    ["no token", 9, /not enrolled.*POST \/v1\/servers/, () => machine.install(null)],
    ["another kind of token", 10, /not an enrolment token/, () => machine.install("gantry_live_x")],
    [
      "an unknown token",
      10,
      /refused the enrolment.*malformed, unknown/,
      () => machine.install(`${TOKEN}${"x".repeat(35)}`),
    ],
    ["an unknown option", 2, /unknown option --colour/, () => machine.install(null, ["--colour"])],
    ["an option without its value", 2, /--home needs a value/, () => machine.install(null, ["--home"])],
    ["a relative path", 2, /--home needs an absolute path/, () => machine.install(null, ["--home", "here"])],
    [
      "a path with a quote",
      2,
      /contains characters that are not allowed/,
      () => machine.install(null, ["--home", "/tmp/a'b"]),
    ],
    ["--purge alone", 2, /needs --uninstall/, () => machine.install(null, ["--purge"])],
    [
      "no Node",
      5,
      /Node 20 or newer is missing. .*nodejs/,
      () => machine.install(TOKEN, [], { env: machine.onlyWith(...TOOLS, "git", "curl") }),
    ],
    [
      "no git",
      5,
      /git 2\.31 or newer is missing. .*git/,
      () => machine.install(TOKEN, [], { env: machine.onlyWith(...TOOLS, "node", "curl") }),
    ],
    [
      "neither curl nor wget",
      5,
      /curl or wget is missing/,
      () => machine.install(TOKEN, [], { env: machine.onlyWith(...TOOLS, "node", "git") }),
    ],
    [
      "an old Node",
      5,
      /Node 20 or newer is required; .* is version 18\.19\.0/,
      () => withProgram("node", "echo 18.19.0"),
    ],
    [
      "an old git",
      5,
      /git 2\.31 or newer is required; the installed version is 2\.25\.1/,
      () => withProgram("git", "echo git version 2.25.1"),
    ],
    [
      "a strict policy without the service",
      2,
      /--policy strict cannot hold with --no-service/,
      () => machine.install(TOKEN, ["--policy", "strict"]),
    ],
    [
      "an unknown policy",
      2,
      /--policy: strict or open, not closed/,
      () => machine.install(TOKEN, ["--policy", "closed"]),
    ],
    [
      "repositories for a policy that is open",
      2,
      /--repositories needs --policy strict/,
      () => machine.install(TOKEN, ["--repositories", "https://github.com/you/*"]),
    ],
    ["another system", 4, /needs Linux; this is Darwin/, () => withProgram("uname", "echo Darwin")],
    [
      "a service without root",
      6,
      /run the same line as root/,
      async () =>
        await runShell(["sh", "-s", "--", "--prefix", machine.prefix], {
          input: await machine.installer(),
          env: machine.withProgram("id", "echo 1000"),
        }),
    ],
    [
      "a service without systemd",
      4,
      /systemd does not run on this machine\. Add --no-service/,
      async () =>
        await runShell(["sh", "-s", "--", "--prefix", machine.prefix, "--home", machine.home], {
          input: await machine.installer(),
          env: machine.onlyWith(...TOOLS, ["id", "echo 0"]),
        }),
    ],
    [
      "an uninstall of a service without root",
      6,
      /run the same line as root, or add --no-service/,
      async () =>
        await runShell(["sh", "-s", "--", "--prefix", machine.prefix, "--uninstall"], {
          input: await machine.installer(),
          env: machine.withProgram("id", "echo 1000"),
        }),
    ],
    [
      "a target that is not writable",
      13,
      /is not writable/,
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
    "for %s ends with exit code %i, prints what to do, and leaves no files",
    async (_what, code, message, run) => {
      expect(await run()).toEqual({ code, output: expect.stringMatching(message) });
      expect(machine.installed).toEqual([]);
    },
  );

  it("with a truncated script does nothing, wherever the script ends", async () => {
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

describe("the install script", () => {
  const shells = [
    ["dash", []],
    ["bash", ["--posix"]],
    ["busybox", ["sh"]],
  ] as const;

  it.for(shells)("runs in %s, with wget if curl is missing", async ([name, args]) => {
    const env = machine.onlyWith(...TOOLS, "node", "git", "wget", name);
    const { enrollment } = await registerServer(gantry);
    const ended = await runShell([name, ...args, "-s", "--", "--no-service", "--prefix", machine.prefix], {
      input: await machine.installer(),
      env: { ...env, GANTRY_TOKEN: enrollment.token },
    });
    expect(ended).toEqual({ code: 0, output: expect.stringContaining("run it with") });
  });

  it("passes shellcheck with the scripts that it writes", async () => {
    const appLife = readFileSync(new URL("../../src/agent/install/app-life.sh", import.meta.url), "utf8");
    const env = machine.environment();
    for (const script of [await readScript("installer"), await readScript("helper"), appLife])
      expect(await runShell(["shellcheck", "-"], { env, input: script })).toEqual({ code: 0, output: "" });
  });

  it("writes a valid unit that confines the service", async () => {
    const env = machine.environment();
    expect((await machine.install((await registerServer(gantry)).enrollment.token)).code).toBe(0);
    const script = await machine.installer();
    const print = script.replace('\nmain "$@" </dev/null', '\nread_options "$@"; read_places; write_unit');
    const written = await runShell(["sh", "-s", "--", "--prefix", machine.prefix, "--user", "daemon"], {
      input: print,
      env,
    });
    expect(written).toEqual({ code: 0, output: expect.stringContaining(`ExecStart=${machine.program} run`) });
    const unit = join(machine.folder, "gantry-agent.service");
    writeFileSync(unit, written.output);
    const verified = await runShell(["systemd-analyze", "verify", "--man=no", unit], { env });
    expect(verified.output.split("\n").filter((line) => line.includes("gantry"))).toEqual([]);
    expect(verified.code).toBe(0);
    const judged = await runShell(["systemd-analyze", "security", "--offline=true", unit], { env });
    const [, exposure] =
      /Overall exposure level for gantry-agent.service: (\d+\.\d+)/.exec(judged.output) ?? [];
    expect(Number(exposure)).toBeLessThan(2.5);
  });
});
