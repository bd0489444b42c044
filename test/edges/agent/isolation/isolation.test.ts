import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSystemdSupervisor, readInstance } from "#agent/apps/systemd-supervisor.ts";
import { isolateProjects } from "#agent/isolation/isolation.ts";
import { instanceScript, jobScript } from "#agent/isolation/job-script.ts";
import { readEnd } from "#agent/isolation/run-isolated.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import type { Command } from "#build/process/command.ts";
import { describeEnd } from "#build/failure/command-failure.ts";

import { createCertificate, type GitServer, serveGit } from "../../../support/git-server.ts";
import { runShell } from "../../../support/run-shell.ts";
import { AgentWorld } from "../../../agent/support/harness.ts";
import { createRepository } from "../../../agent/support/repository.ts";

// test/server/isolation.test.ts runs the helper itself, on a real Debian.

const GIB = 1024 ** 3;

let world: AgentWorld;
let helper: Server | null = null;
let gitServer: GitServer;
const socketPath = () => join(world.folder, "isolate.sock");
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  world.isolation = isolateProjects(socketPath());
  // Repositories on the server are off by default.
  const certificate = createCertificate(world.folder);
  writeFileSync(world.file(".gitconfig"), `[http]\n\tsslCAInfo = ${certificate.cert}\n`);
  gitServer = await serveGit({ certificate, folder: world.folder, login: null });
  world.repositoryUrl = gitServer.url("repository");
});
afterEach(async () => {
  helper?.close();
  gitServer.close();
  await world.close();
});

const startAgent = () => world.startAgent({}, undefined, { PATH: process.env["PATH"], HOME: world.folder });

describe("an agent that isolates projects", () => {
  /** Answers every request with the same line. */
  async function answerWith(line: string): Promise<void> {
    helper = createServer((socket) => socket.on("error", () => undefined).end(`${line}\n`));
    await new Promise<void>((resolve) => helper?.listen(socketPath(), resolve));
  }

  it.each([
    ["build_command", "build"],
    ["release_command", "release"],
    ["activate_command", "activate"],
  ])("runs no %s as its own user when the helper is missing", async (setting, stage) => {
    await startAgent();
    const mark = join(world.folder, "mark");
    const { result } = await world.deploy({ build_command: null, [setting]: `touch ${mark}` });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: { stage, message: expect.stringContaining("the isolation helper cannot be reached") },
    });
    expect(existsSync(mark)).toBe(false);
  });

  it("passes on why the helper refuses a command", async () => {
    await answerWith("failed: the user cannot be created");
    await startAgent();
    const { result } = await world.deploy({ build_command: "true" });
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the build command could not be started: the isolation helper: the user cannot be created",
      },
    });
  });

  /** As the helper does: it names the folder of the pipes, waits for the agent's go, and says how the unit ended. */
  async function endBuildWith(line: string): Promise<void> {
    execFileSync("mkfifo", [world.file("stdout"), world.file("stderr")]);
    helper = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        if (/"verb":"run","kind":"build"/.test(String(data))) socket.write(`output ${world.folder}\n`);
        if (String(data).endsWith("go\n")) socket.end(line);
        if (/^\{"verb":"(?:own|end_build)"/.test(String(data))) socket.end("ok\n");
      });
    });
    await new Promise<void>((resolve) => helper?.listen(socketPath(), resolve));
    await startAgent();
  }

  it("does not say that a build was not started whose helper was killed", async () => {
    await endBuildWith("");
    const { result } = await world.deploy({ build_command: "true" });
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the build command was ended: the isolation helper ended without an answer",
      },
    });
  });

  it("says what to do when a command was killed at its memory limit", async () => {
    await endBuildWith("end oom-kill 2 9 no\n");
    const { result } = await world.deploy({ build_command: "true", limits: { memory_mb: 64 } });
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the build command was killed, because it used more memory than its limit of 64 MiB",
        hint: "Raise limits.memory_mb of the project, or let the command run fewer processes at once.",
        evidence: { signal: "SIGKILL" },
      },
    });
  });

  it("ends a build that is canceled while the helper prepares it", async () => {
    let asked = "";
    helper = createServer((socket) =>
      socket.on("error", () => undefined).on("data", (data) => (asked += data)),
    );
    await new Promise<void>((resolve) => helper?.listen(socketPath(), resolve));
    await startAgent();
    const run = world.control.dispatch(world.order({ build_command: "true" }));
    await expect.poll(() => asked).toContain('"verb":"run","kind":"build"');
    run.instruction = "stop";
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
  });

  it("deploys a project without commands even if the helper is missing", async () => {
    await startAgent();
    expect((await world.deploy({ build_command: null })).result.outcome).toBe("live");
  });
});

describe("a repository on a server that isolates projects", () => {
  const deployFrom = async (repository: string) =>
    (await world.deploy({ source: { repository, branch: "main", commit: null } })).result;

  /** As the helper does: it reads a path, names the folder of the pipes, waits for the agent's go, and starts git. */
  async function readFor(answer: (folder: string) => string): Promise<readonly string[]> {
    const requests: string[] = [];
    execFileSync("mkfifo", [world.file("stderr"), world.file("reader")]);
    // git closes its side before it has read everything.
    helper = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (data) => {
        requests.push(String(data));
        socket.write(`${answer(world.folder)}\n`);
        if (!answer(world.folder).startsWith("output")) return socket.end();
        socket.once("data", (rest) => {
          const path = String(data).split("\n").at(-1) ?? "";
          const stderr = openSync(world.file("stderr"), "w");
          const env = { ...process.env, GIT_PROTOCOL: "version=2" };
          const { stdin, stdout } = spawn("git", ["upload-pack", path], {
            env,
            stdio: ["pipe", "pipe", stderr],
          });
          closeSync(stderr);
          if (stdin === null || stdout === null) throw new Error("git has no pipes");
          stdin.on("error", () => undefined).write(rest.subarray("go\n".length));
          socket.pipe(stdin);
          stdout.pipe(socket);
        });
      });
    });
    await new Promise<void>((resolve) => helper?.listen(socketPath(), resolve));
    return requests;
  }

  it.each([
    ["any", '"repositories": ["remote", "PATH"]'],
    ["remote", '"repositories": ["remote", "PATH"]'],
    [["remote", "/srv/git/*"], 'add "PATH" to the list "repositories"'],
  ] as const)(
    "is refused with the line that allows it, where the policy is %j",
    async (repositories, line) => {
      world.policy = { repositories: typeof repositories === "string" ? repositories : [...repositories] };
      await startAgent();
      const { path } = world.repository;
      for (const address of [path, `file://${path}`])
        expect(await deployFrom(address)).toMatchObject({
          failure: {
            code: "refused_by_policy",
            message: expect.stringContaining(line.replace("PATH", path)),
          },
        });
      expect((await world.deploy()).result.outcome).toBe("live");
    },
  );

  it("is read by the helper where the policy names it, and only its path is sent", async () => {
    const requests = await readFor((folder) => `output ${folder}`);
    world.policy = { repositories: [world.repository.path] };
    await startAgent();
    const { path } = world.repository;
    expect(await deployFrom(`file://${path.replace("repository", "%72epository")}`)).toMatchObject({
      outcome: "live",
    });
    expect(world.read("current/index.html")).toBe("one");
    const sent = JSON.stringify({ verb: "read", project: world.projectId, path_bytes: path.length });
    expect(requests.filter((request) => request.includes('"read"'))).toEqual([`${sent}\n${path}`]);
  });

  it("fails with what git and the helper say about it, and whose right is missing", async () => {
    const answers = ["failed: no user", `output ${world.folder}`];
    await readFor(() => answers[0] ?? "");
    world.policy = { repositories: ["/**"] };
    await startAgent();
    const missing = world.file("missing");
    const failure = (message: string) => ({
      failure: {
        code: "fetch_failed",
        message: expect.stringMatching(`${message}.*The project's own user, ${world.projectId}, reads it`),
      },
    });
    expect(await deployFrom(missing)).toMatchObject(failure("the isolation helper .*: failed: no user"));
    answers.shift();
    expect(await deployFrom(missing)).toMatchObject(
      failure("'.*/missing' does not appear to be a git repository"),
    );
    helper?.close();
    expect(await deployFrom(missing)).toMatchObject(failure("the isolation helper cannot be reached"));
  });

  it("is no submodule either where the policy does not name it", async () => {
    const part = createRepository(world.file("part"));
    part.commit({ "part.txt": "part" });
    world.repository.commit({ ".gitmodules": `[submodule "part"]\n\tpath = part\n\turl = ${part.path}\n` });
    world.repository.git(
      "update-index",
      "--add",
      "--cacheinfo",
      `160000,${part.git("rev-parse", "HEAD")},part`,
    );
    world.repository.git("commit", "--quiet", "--message=a submodule");
    await readFor((folder) => `output ${folder}`);
    world.policy = { repositories: [world.repository.path] };
    await startAgent();
    expect(await deployFrom(world.repository.path)).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("submodule part") },
    });
  });
});

describe("a repository in the agent's folder", () => {
  beforeEach(async () => {
    world.policy = { repositories: ["remote", "/**"] };
    await startAgent();
    expect((await world.deploy({ build_command: null })).result.outcome).toBe("live");
    symlinkSync(world.path("mirror.git"), world.file("link.git"));
    symlinkSync(world.path(), world.file("folder"));
  });

  it.each([
    ["by its path", (mirror: string) => mirror],
    ["without its ending", (mirror: string) => mirror.replace(/\.git$/, "")],
    [
      "as an encoded address",
      (mirror: string) => `file://${mirror.replace("mirror", "%6dirror").replace("projects", "project%73")}`,
    ],
    ["through a link", () => world.file("link.git")],
    ["through a link, without its ending", () => world.file("folder/mirror")],
  ])("is not read for a project, %s", async (_, addressOf) => {
    const repository = addressOf(world.path("mirror.git"));
    const { result } = await world.deploy({
      build_command: null,
      source: { repository, branch: "main", commit: null },
    });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: { code: "refused_by_policy", message: expect.stringContaining("in the agent's own folder") },
    });
  });
});

describe("the script of a job", () => {
  it("gives a command exactly its environment and words, whatever they contain", async () => {
    const values = { QUOTED: `it's "$HOME" \`id\` \\ $(id)`, LINES: "one\ntwo\n", EMPTY: "" };
    const script = jobScript({
      argv: ["sh", "-c", 'printf "%s|%s|%s|%s" "$QUOTED" "$LINES" "$EMPTY" "${LANG-none}"; pwd; cat'],
      cwd: "/tmp",
      env: { PATH: "/usr/bin:/bin", ...values },
    });
    const ended = await runShell(["sh", "-s"], { input: script, env: { PATH: "/usr/bin:/bin", LANG: "C" } });
    expect(ended).toEqual({ code: 0, output: `${values.QUOTED}|one\ntwo\n||none/tmp\n` });
  });
});

describe("the script of an instance", () => {
  const command: Command = {
    argv: ["sh", "-c", "umask; echo failed >&2"],
    cwd: "/tmp",
    env: { PATH: "/usr/bin:/bin" },
  };
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "gantry-log-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it("appends all output to the log, which only its user and group can read", async () => {
    const log = join(folder, "it's.log");
    for (let count = 0; count < 2; count += 1)
      expect(await runShell(["sh", "-s"], { input: instanceScript(command, log) })).toEqual({
        code: 0,
        output: "",
      });
    expect(readFileSync(log, "utf8")).toBe("0022\nfailed\n0022\nfailed\n");
    expect(statSync(log).mode & 0o777).toBe(0o660);
  });

  it("starts it also if the log cannot be written", async () => {
    const script = instanceScript(command, join(folder, "missing/log"));
    expect(await runShell(["sh", "-s"], { input: script })).toMatchObject({ code: 0 });
  });
});

describe("a list of the isolation helper", () => {
  const id = "proj_01j00000000000000000000000";

  it("is read with what is known of each instance", () => {
    expect(readInstance(`${id}/web-7-0/running/1795386735348/2/-/KILL/yes/2019328/60`)).toEqual({
      project: id,
      name: "web-7-0",
      state: "running",
      startedAt: 1_795_386_735_348,
      restarts: 2,
      lastExit: { code: null, signal: "SIGKILL", isOutOfMemory: true },
      memoryBytes: 2_019_328,
      cpuMs: 60,
    });
    expect(readInstance(`${id}/a-b_c-7-0/restarting/-/1/3/-/no/-/-`)).toEqual({
      project: id,
      name: "a-b_c-7-0",
      state: "restarting",
      startedAt: null,
      restarts: 1,
      lastExit: { code: 3, signal: null, isOutOfMemory: false },
      memoryBytes: null,
      cpuMs: null,
    });
    expect(readInstance(`${id}/web-7-0/running/1/0/-/-/-/1/1`)?.lastExit).toBeNull();
  });

  it.each(["", "web-7-0", `${id}/web-7-0/dead/-/0/-/-/-/-/-`, `../x/web-7-0/running/-/0/-/-/-/-/-`])(
    "is not read if it contains %j",
    (word) => expect(readInstance(word)).toBeNull(),
  );
});

describe("the supervisor of a server with systemd", () => {
  it("says what to do when the helper is older than the agent", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-helper-"));
    const path = join(folder, "isolate.sock");
    const outdated = createServer((socket) =>
      socket.on("error", () => undefined).end("refused: not a request\n"),
    );
    await new Promise<void>((resolve) => outdated.listen(path, resolve));
    const supervisor = createSystemdSupervisor({ home: folder, socketPath: path });
    expect(await supervisor.list(null)).toEqual({
      ok: false,
      reason: expect.stringContaining("Run the install command again"),
    });
    outdated.close();
    expect(await supervisor.list(null)).toMatchObject({ ok: false });
    rmSync(folder, { recursive: true });
  });
});

describe("the end of a unit", () => {
  it.each([
    ["end success 1 0 no", "ended with exit code 0"],
    ["end exit-code 1 3 no", "ended with exit code 3"],
    ["end signal 2 9 no", "was killed by SIGKILL"],
    ["end core-dump 3 11 no", "was killed by SIGSEGV"],
    ["end oom-kill 2 9 no", "was killed, because it used more memory than its limit of 512 MiB"],
  ])("%j is shown as %j", (line, text) => {
    const end = readEnd(line, { memoryMb: 512 });
    expect(end === null ? null : describeEnd(end.end)).toBe(text);
  });

  it("is unknown for any other line", () => {
    expect(readEnd("refused: not a request", { memoryMb: null })).toBeNull();
    expect(readEnd("end success 1 0 maybe", { memoryMb: null })).toBeNull();
  });
});

describe("the limits of a unit", () => {
  const open = { limits: {} };

  it("are the project's, and otherwise the server's", () => {
    expect(unitLimits("build", {}, open, 4 * GIB)).toEqual({ memoryMb: 3072, cpuWeight: 50, tasks: 4096 });
    const app = { memoryMb: null, cpuWeight: 100, tasks: 4096 };
    expect(unitLimits("command", {}, open, 4 * GIB)).toEqual(app);
    expect(unitLimits("app", {}, open, 4 * GIB)).toEqual(app);
    const own = { memory_mb: 512, cpu_weight: 300, tasks: 64 };
    expect(unitLimits("build", own, open, 4 * GIB)).toEqual({ memoryMb: 512, cpuWeight: 300, tasks: 64 });
  });

  it("are never above the policy's", () => {
    const policy = { limits: { memory_mb_max: 1024, cpu_weight_max: 40, tasks_max: 100 } };
    const most = { memoryMb: 1024, cpuWeight: 40, tasks: 100 };
    expect(unitLimits("build", { memory_mb: 4096, cpu_weight: 100, tasks: 200 }, policy)).toEqual(most);
    expect(unitLimits("command", {}, policy)).toEqual(most);
    expect(unitLimits("app", {}, policy)).toEqual(most);
    expect(unitLimits("command", { memory_mb: 256 }, policy).memoryMb).toBe(256);
  });
});
