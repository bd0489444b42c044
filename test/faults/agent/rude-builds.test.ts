import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { Timeouts } from "#contract/endpoints/projects/settings.ts";

import { isAlive, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { expectWholeProject } from "../../agent/support/whole-project.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  await world.startAgent();
  await world.deploy();
});
afterEach(() => world.close());

const notePid = () => `echo $! >> ${world.file("pids")}`;

/** Builds, and checks that no process and no file of it is left, and that the next deployment works. */
async function build(command: string, timeouts: { build_seconds?: number } = {}) {
  const before = world.current;
  const { run, result, order } = await world.deploy({
    build_command: command,
    timeouts: Timeouts.parse(timeouts),
    keep_releases: world.releases.slice(-1),
  });
  await expectWholeProject(world, [order.run_id]);
  for (const pid of world.pidsIn("pids")) expect(isAlive(pid)).toBe(false);
  if (result.outcome !== "live") expect(world.current).toBe(before);
  expect((await world.deploy()).result.outcome).toBe("live");
  const failure = result.outcome === "failed" ? result.failure : null;
  return { outcome: result.outcome, failure, stdout: messagesOf(run, "stdout") };
}

describe("a build command that", () => {
  it("starts daemons in their own session that keep the pipes open: the agent ends them without waiting", async () => {
    const daemon = `( setsid sh -c '( echo $$ >> ${world.file("pids")}; exec sleep 1000 ) & echo $! >> ${world.file("pids")}' & )`;
    const { outcome, stdout } = await build(
      `${daemon}; until [ "$(wc -l < ${world.file("pids")})" = 2 ]; do sleep 0.02; done 2>/dev/null; echo built`,
    );
    expect(outcome).toBe("live");
    expect(stdout).toEqual(["built"]);
    expect(world.pidsIn("pids")).toHaveLength(2);
  });

  it("prints bytes that are not UTF-8, NUL, colours and progress bars: they arrive as lines", async () => {
    const { outcome, stdout } = await build(
      String.raw`printf 'a\377b\n\000zero\n\033[31mred\033[0m\n10%%\r20%%\rdone\r\n'`,
    );
    expect(outcome).toBe("live");
    expect(stdout).toEqual(["a\uFFFDb", "\0zero", "\u001B[31mred\u001B[0m", "10%\r20%\rdone"]);
  });

  it("prints a hundred megabytes in one line: the line is cut, and the next one is not", async () => {
    const { outcome, stdout } = await build("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo after");
    expect(outcome).toBe("live");
    expect(stdout).toHaveLength(2);
    expect(Buffer.byteLength(stdout[0] ?? "")).toBeLessThanOrEqual(MAX_LOG_LINE_BYTES);
    expect(stdout[1]).toBe("after");
  });

  it("prints long lines of short words: the search for passwords handles each quickly", async () => {
    const line = "$(printf 'a.%.0s' $(seq 8000))";
    const { outcome, stdout } = await build(`line=${line}; for i in $(seq 300); do echo "$line"; done`);
    expect(outcome).toBe("live");
    expect(stdout).toHaveLength(300);
  });

  it("ignores SIGTERM with all its processes: they are killed after the time limit", async () => {
    const { failure } = await build(
      `trap '' TERM; sh -c 'trap "" TERM; while :; do sleep 0.05; done' & ${notePid()}; while :; do sleep 0.05; done`,
      { build_seconds: 1 },
    );
    expect(failure).toMatchObject({ code: "timed_out", stage: "build" });
    expect(world.pidsIn("pids")).toHaveLength(1);
  });

  it("reads its standard input: the input is empty", async () => {
    const { outcome, stdout } = await build('read line; echo "read: $?"; cat; echo "then: $?"');
    expect(outcome).toBe("live");
    expect(stdout).toEqual(["read: 1", "then: 0"]);
  });

  it("closes its standard output and error: its exit code still decides", async () => {
    expect(await build("exec >&- 2>&-; sleep 0.2; exit 0")).toMatchObject({ outcome: "live" });
    expect(await build("exec >&- 2>&-; sleep 0.2; exit 4")).toMatchObject({
      failure: { code: "build_failed", evidence: { exit_code: 4 } },
    });
  });

  it("starts two hundred processes: the output of processes that it waits for arrives, and the others are ended", async () => {
    const { outcome, stdout } = await build(
      `for i in $(seq 200); do (sleep 0.0$((i % 10)); echo $i) & done; wait; sleep 1000 & ${notePid()}; echo built`,
    );
    expect(outcome).toBe("live");
    expect(stdout).toHaveLength(201);
    expect(new Set(stdout).size).toBe(201);
  });

  it("leaves unreadable folders and fails: they are removed", async () => {
    const { failure } = await build(
      "mkdir -p a/b/c && echo x > a/b/c/file && chmod 000 a/b/c/file a/b/c a/b a; exit 1",
    );
    expect(failure).toMatchObject({ code: "build_failed" });
  });

  it("deletes its working directory: the release is not used", async () => {
    const { failure } = await build("rm -rf ../$GANTRY_VERSION; echo gone");
    expect(failure).toMatchObject({
      code: "build_failed",
      stage: "build",
      message: "the output directory `.` does not exist after the build",
    });
  });

  it("creates folders in place of the agent's links: they are removed", async () => {
    const { outcome } = await build("mkdir -p ../../tmp/way-back/a ../../tmp/current/a");
    expect(outcome).toBe("live");
  });

  it("kills its own process group: the failure names the signal", async () => {
    const { failure } = await build(`sleep 1000 & ${notePid()}; kill -9 0`);
    expect(failure).toMatchObject({
      code: "build_failed",
      message: "the build command was killed by SIGKILL",
      evidence: { exit_code: null, signal: "SIGKILL" },
    });
  });

  it("tries to end the agent through its process group: the agent is not in that group", async () => {
    expect(await build("kill -TERM 0; sleep 1000")).toMatchObject({ failure: { code: "build_failed" } });
  });
});
