import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { createCli } from "../cli/support/command.ts";
import { type Agent, joinServer } from "../browser/support/operator.ts";
import { createRepository } from "../support/journey-repository.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

const cli = createCli();
let system: UsedSystem;
let proxy: TcpProxy;
let agent: Agent | null = null;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  system = await useSystem();
  const { api, local } = system;
  const { path, commit } = await createRepository(join(system.folder, "tasks"));
  await commit({ "index.html": "tasks" });
  const project = await api.createProject({ name: "tasks", server_id: local.server_id, repository: path });
  await api.call("PATCH", `/v1/projects/${project.id}/variables`, {
    set: [
      { name: "MOOD", value: "happy" },
      { name: "PASSWORD", value: "swordfish", secret: true },
    ],
  });
  expect(await api.ended((await api.start(project.id)).id)).toMatchObject({ status: "live" });
  proxy = new TcpProxy(Number(new URL(local.url).port));
  env = { GANTRY_URL: await proxy.listen(), GANTRY_TOKEN: local.token, GANTRY_PROJECT: project.id };
});

afterAll(async () => {
  proxy.close();
  await agent?.kill();
});

describe("gantry run", () => {
  it("prints what the command prints on the server, without secrets, and exits as it does", async () => {
    const line = 'echo "$MOOD in $(cat index.html)"; echo "$PASSWORD" >&2; exit 7';
    expect(await cli.run(["run", line], { env })).toEqual({
      ...{ code: 7, stdout: "happy in tasks\n", stderr: "***\n" },
    });
  });

  it("loses no line when its connections are cut again and again", async () => {
    const line = "i=0; while [ $i -lt 60 ]; do echo $i; i=$((i + 1)); sleep 0.05; done";
    const running = cli.start(["run", line], { env });
    for (const seen of ["5\n", "20\n", "40\n"]) {
      await running.printed("stdout", seen);
      proxy.cut();
    }
    const { code, stdout, stderr } = await running.ended;
    expect(stderr).toContain("Trying again.");
    expect(code).toBe(0);
    expect(stdout).toBe(Array.from({ length: 60 }, (_, at) => `${at}\n`).join(""));
  });

  it("stops the command on the server at Ctrl-C, and prints its last lines", async () => {
    const line = "trap 'echo stopping; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    const running = cli.start(["run", line], { env });
    await running.printed("stdout", "ready");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "ready\nstopping\n" });
  });

  it("is refused by a server without a policy, with the line to add", async () => {
    const { api } = system;
    const made = await api.call("POST", "/v1/servers", { name: "strict", ip: "127.0.0.1" });
    const server = ServerCreated.parse(made.json);
    agent = await joinServer(server.enrollment.command, join(system.folder, "strict"));
    agent.start();
    const project = await api.createProject({
      ...{ name: "strict", server_id: server.id, repository: "https://example.com/strict.git" },
    });
    const run = () => cli.run(["run", "true"], { env: { ...env, GANTRY_PROJECT: project.id } });
    await expect
      .poll(run, { interval: 200 })
      .toMatchObject({ code: 104, stderr: expect.stringContaining('the line "commands": "any"') });
  });
});
