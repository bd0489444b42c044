import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { processesOfRun } from "#build/process/process-table.ts";
import { Timeouts } from "#contract/endpoints/projects/settings.ts";

import { eventsOf, isAlive, linesOf, messagesOf, AgentWorld } from "../../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one", "site/page.html": "page" });
});
afterEach(() => world.close());

/** A shell line that writes the pid of the process started before it to a file beside the project. */
const notePid = (name: string) => `echo $! > ${join(world.folder, name)}`;
const pidOf = (name: string) => Number(readFileSync(join(world.folder, name), "utf8"));
const hasPid = (name: string) => {
  try {
    return pidOf(name) > 0;
  } catch {
    return false;
  }
};

/** A server that accepts connections and never sends anything. */
async function listenSilently() {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { silent, repository: `https://127.0.0.1:${port}/x.git` };
}

describe("a build command", () => {
  it("runs in the root directory, with the deployment's variables and none of the agent's", async () => {
    process.env["SECRET_OF_ANOTHER_PROGRAM"] = "secret";
    await world.startAgent();
    const { run, result } = await world.deploy({
      root_directory: "site",
      build_command: "pwd; env; cat page.html > out.html; [ ! -t 0 ] && cat",
      output_directory: ".",
    });
    delete process.env["SECRET_OF_ANOTHER_PROGRAM"];
    expect(result.outcome).toBe("live");
    const output = messagesOf(run, "stdout");
    expect(output[0]).toBe(world.path("releases/1/site"));
    const sha = eventsOf(run, "resolved")[0]?.commit_sha;
    for (const variable of [
      "CI=true",
      "GANTRY=1",
      "GANTRY_PROJECT=shop",
      "GANTRY_VERSION=1",
      `GANTRY_COMMIT=${sha}`,
      "GANTRY_BRANCH=main",
    ])
      expect(output).toContain(variable);
    expect(output.join("\n")).not.toContain("SECRET_OF_ANOTHER_PROGRAM");
    expect(world.read("current/site/out.html")).toBe("page");
  });

  it("ends the deployment with its exit code and last output when it fails, and leaves the site unchanged", async () => {
    await world.startAgent();
    await world.deploy();
    const { run, result } = await world.deploy({
      build_command: "echo working; echo no such module >&2; exit 3",
      keep_releases: [1],
    });
    expect(result).toEqual({
      outcome: "failed",
      failure: {
        code: "build_failed",
        stage: "build",
        message: "the build command ended with exit code 3",
        failing_line: "no such module",
        evidence: { exit_code: 3, signal: null, stderr_tail: "no such module\n" },
      },
    });
    expect(linesOf(run)).toContainEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      stream: "stderr",
      stage: "build",
      message: "no such module",
    });
    expect(world.current).toBe("releases/1");
    expect(world.has("releases/2")).toBe(false);
  });

  it("reports the signal that killed it", async () => {
    await world.startAgent();
    const { result } = await world.deploy({ build_command: "kill -9 $$" });
    expect(result).toMatchObject({
      failure: { code: "build_failed", evidence: { exit_code: null, signal: "SIGKILL" } },
    });
  });

  it("is ended with all its processes when it hangs, including processes that ignore SIGTERM", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: [
        "sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &",
        notePid("stubborn"),
        "trap '' TERM; while :; do sleep 0.1; done",
      ].join("\n"),
      timeouts: Timeouts.parse({ build_seconds: 1 }),
    });
    expect(result).toMatchObject({
      failure: {
        code: "timed_out",
        stage: "build",
        message: "the build command took longer than 1 second",
      },
    });
    expect(isAlive(pidOf("stubborn"))).toBe(false);
    expect(world.has("releases/1")).toBe(false);
  });

  it("shows its output while it runs, including an unfinished line", async () => {
    await world.startAgent();
    const go = join(world.folder, "go");
    const run = world.control.dispatch(
      world.order({
        build_command: `printf 'half'; while [ ! -e ${go} ]; do sleep 0.02; done; printf ' done\\n'`,
      }),
    );
    await world.control.waitFor("half a line", () => messagesOf(run, "stdout").includes("half"));
    writeFileSync(go, "");
    await world.control.result(run);
    expect(messagesOf(run, "stdout")).toEqual(["half", " done"]);
  });

  it("fails as disk_full, not as build_failed, when it fills the disk", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: "echo 'cp: error writing: No space left on device' >&2; exit 1",
    });
    expect(result).toMatchObject({ failure: { code: "disk_full", stage: "build" } });
  });

  it("has the repository's password hidden in its output", async () => {
    world.repository.git("tag", "v1");
    await world.startAgent();
    const { run } = await world.deploy({ build_command: "echo https://me:hunter22@example.com/x" });
    expect(messagesOf(run, "stdout")).toEqual(["https://me:***@example.com/x"]);
    expect(JSON.stringify(run.events)).not.toContain("hunter22");
  });
});

describe("the last output of a command that a failure shows", () => {
  it("contains no end of a password whose beginning was cut off", async () => {
    const password = "s3cret".repeat(16);
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: `for i in $(seq 200); do echo "https://me:${password}@example.com/x" >&2; done; exit 1`,
    });
    expect(result).toMatchObject({
      failure: {
        evidence: { stderr_tail: expect.stringMatching(/^.*\n(https:\/\/me:\*\*\*@example.com\/x\n)+$/) },
      },
    });
    expect(JSON.stringify(result)).not.toContain("s3cret");
  });
});

describe("git in a build or activate command", () => {
  it("does not find the repository that the agent's home lies in", async () => {
    execFileSync("git", ["init", "--quiet", world.folder]);
    const ask = "git rev-parse --show-toplevel || { git init --quiet .; git rev-parse --show-toplevel; }";
    await world.startAgent();
    const { run } = await world.deploy({ root_directory: "site", build_command: ask, activate_command: ask });
    const own = world.path("releases/1/site");
    expect(messagesOf(run, "stdout")).toEqual([own, own]);
    expect(messagesOf(run, "stderr")).toEqual([expect.stringMatching(/^fatal: not a git repository/)]);
  });
});

describe("a line that is cut because it is too long", () => {
  it("does not end in the beginning of a password", async () => {
    await world.startAgent();
    const { run } = await world.deploy({
      // In one write: the shell writes in several, and the beginning of a line that is not finished is shown after a while.
      build_command: "printf '%016300d https://me:s3cretword@example.com/%01000d\\n' 0 0 > long; cat long",
    });
    expect(messagesOf(run, "stdout")).toEqual([
      expect.stringMatching(/^0+ https:\/\/me:\*\*\*… \[\d+ bytes of this line are cut\]$/),
    ]);
  });
});

describe("the folders of a build", () => {
  it("fail the build when they are missing, are not folders, or lead out of the release", async () => {
    world.repository.commit({ out: { link: "/etc" } });
    await world.startAgent();
    const failing = async (change: { root_directory?: string; output_directory?: string }) => {
      const { result } = await world.deploy(change);
      return result.outcome === "failed" ? `${result.failure.code}: ${result.failure.message}` : "";
    };
    expect(await failing({ root_directory: "gone" })).toBe(
      "build_failed: the root directory `gone` is not in the repository",
    );
    expect(await failing({ output_directory: "dist" })).toBe(
      "build_failed: the output directory `dist` does not exist after the build",
    );
    expect(await failing({ output_directory: "index.html" })).toBe(
      "build_failed: the output directory `index.html` is not a folder",
    );
    expect(await failing({ root_directory: "out" })).toBe(
      "build_failed: the root directory `out` leads out of the release through a symbolic link",
    );
  });
});

describe("a cancel", () => {
  it("ends every process of a build and removes the unfinished release", async () => {
    await world.startAgent();
    await world.deploy();
    const order = world.order({
      build_command: ["sleep 1000 &", notePid("sleeper"), "sleep 1000"].join("\n"),
      keep_releases: [1],
    });
    const run = world.control.dispatch(order);
    await world.control.waitFor("the build", () => hasPid("sleeper"));
    world.control.stop(order);
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
    expect(isAlive(pidOf("sleeper"))).toBe(false);
    expect(world.has("releases/2")).toBe(false);
    expect(world.current).toBe("releases/1");
  });

  it("also reaches the agent in the answer to its events", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order({ build_command: "sleep 1000" }));
    await world.control.waitFor("the build", () =>
      eventsOf(run, "stage").some(({ stage }) => stage === "build"),
    );
    run.instruction = "stop";
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
  });

  it("ends a git that waits for a server that never answers", async () => {
    const { silent, repository } = await listenSilently();
    await world.startAgent();
    const order = world.order({
      source: { repository, branch: "main", commit: null },
    });
    const connected = new Promise((resolve) => silent.once("connection", resolve));
    const run = world.control.dispatch(order);
    await connected;
    world.control.stop(order);
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
    expect(processesOfRun(order.run_id)).toEqual([]);
    silent.close();

    const next = await world.deploy();
    expect(next.result.outcome).toBe("live");
  });

  it("happens by itself when a fetch takes too long", async () => {
    const { silent, repository } = await listenSilently();
    await world.startAgent();
    const { result } = await world.deploy({
      source: { repository, branch: "main", commit: null },
      timeouts: Timeouts.parse({ fetch_seconds: 1 }),
    });
    expect(result).toMatchObject({ failure: { code: "timed_out", stage: "fetch" } });
    silent.close();
  });
});
