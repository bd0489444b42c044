import { describe, expect, it } from "vitest";

import {
  CommandOutput,
  type CommandReading,
  CommandRows,
  CommandRun,
} from "#contract/endpoints/commands/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEntries } from "../../support/worker/recorded.ts";

const state = {
  ...{ exit_code: null, signal: null, message: null, release: 1, finished_at: null },
  ...{ status: "running" as const, started_at: "2026-11-20T09:14:43.090Z" },
};
const reading: CommandReading = { ok: true, state, lines: [], next_offset: 0, complete: false };

/** A project whose agent answers requests about commands. */
async function connected(command: CommandReading = reading): Promise<TestProject> {
  const project = await TestProject.answering();
  project.agent.command = command;
  return project;
}

const path = (project: TestProject, rest = "") => `/v1/projects/${project.id}/commands${rest}`;
const start = (project: TestProject, headers = {}) =>
  project.post(path(project), { command: "npm run migrate" }, headers);
const list = async (project: TestProject) =>
  CommandRows.parse(await (await project.get(path(project))).json()).commands;
const startsOf = ({ agent }: TestProject) => agent.received.filter(({ type }) => type === "start_command");

describe("a command", () => {
  it("is started on the server, and listed with who ran it", async () => {
    const project = await connected();
    const response = await start(project);
    expect(response.status).toBe(201);
    const command = CommandRun.parse(await response.json());
    expect(response.headers.get("location")).toBe(path(project, `/${command.id}`));
    expect(command).toMatchObject({ command: "npm run migrate", timeout_seconds: 3600, ...state });
    expect(startsOf(project)).toMatchObject([
      { command_id: command.id, command: "npm run migrate", timeout_seconds: 3600 },
    ]);
    expect(await list(project)).toEqual([command]);
    expect(await (await project.get(path(project, `/${command.id}`))).json()).toEqual(command);
  });

  it("is read from an offset to its end, and stopped", async () => {
    const project = await connected();
    const { id } = CommandRun.parse(await (await start(project)).json());
    const ended = {
      ...state,
      status: "exited",
      exit_code: 2,
      finished_at: "2026-11-20T09:15:00.000Z",
    } as const;
    project.agent.command = {
      ...{ ok: true, state: ended, next_offset: 90, complete: true },
      lines: [{ stream: "stdout", message: "two" }],
    };
    const response = await project.get(path(project, `/${id}/output?offset=45&wait_seconds=20`));
    expect(CommandOutput.parse(await response.json())).toMatchObject({
      ...{ lines: [{ stream: "stdout", message: "two" }], next_offset: 90, complete: true },
      command: { id, status: "exited", exit_code: 2 },
    });
    const asked = project.agent.received.findLast(({ type }) => type === "read_command");
    expect(asked).toMatchObject({ command_id: id, offset: 45, wait_ms: 20_000 });
    const stopped = await project.post(path(project, `/${id}/stop`), {});
    expect(await stopped.json()).toMatchObject({ id, status: "exited" });
  });

  it("has the same id when its request is sent again, also if the first answer was lost", async () => {
    const project = await connected({ ok: false, code: "failed", message: "the disk is full" });
    const headers = { "idempotency-key": "run-1" };
    expect(await problemOf(await start(project, headers))).toMatchObject({
      status: 503,
      code: "unavailable",
    });
    project.agent.command = reading;
    expect((await start(project, headers)).status).toBe(201);
    const replayed = await start(project, headers);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    const starts = startsOf(project);
    expect(starts).toHaveLength(2);
    expect(starts[0]).toMatchObject({ command_id: (await list(project))[0]?.id });
    expect(starts[1]).toMatchObject({ command_id: (await list(project))[0]?.id });
    await project.post(path(project, `/${(await list(project))[0]?.id}/stop`), {});
    const actions = async () => (await recordedEntries(project.id)).map(({ action }) => action);
    await expect.poll(actions).toContain("stopCommand");
    expect((await actions()).filter((action) => action === "runCommand")).toHaveLength(1);
  });

  it("is not recorded if the server is offline or refuses it", async () => {
    const message = "this server's policy (commands) does not allow one-off commands";
    const project = await connected({ ok: false, code: "refused_by_policy", message });
    expect(await problemOf(await start(project))).toMatchObject({
      ...{ status: 409, code: "refused_by_policy" },
      detail: "This server's policy (commands) does not allow one-off commands.",
    });
    project.agent.cut();
    await expect.poll(async () => (await problemOf(await start(project))).code).toBe("server_offline");
    expect(await list(project)).toEqual([]);
  });

  it("is listed without a state if the server is not connected or does not keep it", async () => {
    const project = await connected();
    const { id } = CommandRun.parse(await (await start(project)).json());
    project.agent.command = { ok: false, code: "unknown_command", message: "it is gone" };
    const unknown = { id, status: null, exit_code: null, release: null, started_at: null };
    expect(await list(project)).toMatchObject([unknown]);
    project.agent.command = reading;
    expect(await list(project)).toMatchObject([{ id, status: "running" }]);
    project.agent.cut();
    await expect.poll(() => list(project)).toMatchObject([unknown]);
  });

  it("needs a scope that no other scope includes", async () => {
    const project = await connected();
    const scopes = ["deployments:write", "projects:write", "servers:write", "tokens:write"];
    const made = await project.post("/v1/tokens", { name: "all but one", scopes });
    const { token } = TokenWithSecret.parse(await made.json());
    const refused = await call(path(project), { method: "POST", token, body: { command: "true" } });
    expect(await problemOf(refused)).toMatchObject({ status: 403, code: "insufficient_scope" });
  });
});
