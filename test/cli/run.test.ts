import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { CommandReading } from "#contract/endpoints/commands/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { endedCommand } from "../support/connected-agent/agent-socket.ts";
import { eventually } from "../support/faults/eventually.ts";
import { createCli } from "./support/command.ts";
import { createServerWithKey, type ServerWithKey } from "./support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;
let server: ServerWithKey;

beforeAll(async () => {
  gantry = await useGantry();
  server = await createServerWithKey(gantry, "commands");
});
afterAll(() => server.stop());
beforeEach(() => {
  server.agent.received.length = 0;
});

const options = () => ({
  env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: server.projectId },
});
const run = (...args: string[]) => cli.run(["run", ...args], options());

type Reading = Extract<CommandReading, { ok: true }>;

/** The end of a command. */
const ended = (change: Partial<Reading["state"]>): Reading => ({
  ...endedCommand,
  state: { ...endedCommand.state, ...change },
  lines: [
    { stream: "stdout", message: "a\tb" },
    { stream: "stderr", message: "oops" },
  ],
});

describe("gantry run", () => {
  it("prints what the command prints, and exits as it does", async () => {
    server.agent.command = ended({ exit_code: 7 });
    expect(await run("--", "printf", "%s", "a b")).toEqual({ code: 7, stdout: "a\tb\n", stderr: "oops\n" });
    expect(server.agent.received.find(({ type }) => type === "start_command")).toMatchObject({
      command: "printf %s 'a b'",
    });
  });

  it("exits as a shell and timeout(1) do if the command was ended", async () => {
    const message = "was killed by SIGKILL";
    server.agent.command = ended({ status: "killed", exit_code: null, signal: "SIGKILL", message });
    expect(await run("true")).toMatchObject({
      code: 137,
      stderr: "oops\nThe command was killed by SIGKILL.\n",
    });
    server.agent.command = ended({ status: "timed_out", exit_code: null });
    expect((await run("true")).code).toBe(124);
  });

  it("adds 100 to the exit code of Gantry's own problems", async () => {
    server.agent.command = { ok: false, code: "refused_by_policy", message: "the policy (commands) says no" };
    const refused = await run("true");
    expect(refused.code).toBe(104);
    expect(refused.stderr).toMatch(/^Refused by policy: The policy \(commands\) says no\./);
    expect((await run("--timeout=never", "true")).code).toBe(102);
  });

  it("stops the command on the server at Ctrl-C", async () => {
    const { agent } = server;
    const running = { status: "running", exit_code: null, message: null, finished_at: null } as const;
    agent.command = { ...ended(running), lines: [], next_offset: 0, complete: false };
    const { child, ended: end } = cli.start(["run", "sleep 600"], options());
    const has = (type: string) => agent.received.some((one) => one.type === type);
    await eventually(
      () => "the output is read",
      () => has("read_command"),
    );
    child.kill("SIGINT");
    await eventually(
      () => "the command is stopped",
      () => has("stop_command"),
    );
    agent.command = ended({ status: "stopped", exit_code: null });
    expect(await end).toMatchObject({ code: 130, stderr: "Stopping the command on the server.\noops\n" });
  });
});
