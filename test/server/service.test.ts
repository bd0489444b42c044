import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer, readServer } from "../support/enrolments.ts";
import { freePort } from "../support/free-port.ts";
import { readExposition } from "../support/read-exposition.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";
import { codeOf } from "./support/documented-code.ts";

const REPOSITORY = "/srv/app";

/** An app that answers with its release, and prints a line and uses its /tmp in each request. */
const app = (release: string, status = 200) => `
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
createServer((request, response) => {
  console.log("asked for", request.url);
  writeFileSync("/tmp/last-request", request.url);
  response.writeHead(${status}).end("${release}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: ServerCreated;
let restartedProject = "";
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  await machine.allowLocalRepositories();
  api = createApi(gantry.url, gantry.token);
  server = await registerServer(gantry);
});
afterAll(() => machine.close());

const update = () => machine.run(`curl -fsSL ${gantry.url}/install.sh | sh`);
const agentPid = () => machine.tell("systemctl show --property=MainPID --value gantry-agent");

async function commit(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await machine.write(`${REPOSITORY}/${name}`, text);
  await machine.tell(
    `chown -R root ${REPOSITORY} && cd ${REPOSITORY} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet --allow-empty -m change && chown -R gantry ${REPOSITORY}`,
  );
}

async function deploy(projectId: string): Promise<Deployment> {
  const started = await api.start(projectId);
  return await api.ended(started.id);
}

const ask = async (port: number) => (await machine.run(`curl -sS -m 5 http://127.0.0.1:${port}/`)).output;

describe("on a systemd server in a container", () => {
  it("the install command of a new server succeeds and reports a connected agent", async () => {
    const installed = await machine.run(server.enrollment.command);
    expect(installed).toMatchObject({
      code: 0,
      output: expect.stringContaining(`connected to ${gantry.url} as ${server.id}`),
    });
    expect((await readServer(gantry, server.id)).status).toMatch(/healthy|degraded/);
  });

  it("an update succeeds and restarts the agent", async () => {
    const before = await agentPid();
    expect(await update()).toMatchObject({ code: 0, output: expect.stringContaining("connected to") });
    expect(await agentPid()).not.toBe(before);
    expect(await machine.run("gantry-agent status")).toMatchObject({
      code: 0,
      output: expect.stringContaining("Processes of apps run as units of systemd."),
    });
  });

  it("serves metrics on loopback only if the installer is told to, and an update keeps that", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const scrape = () => machine.run(`curl -sS -m 5 http://${address}/metrics`);
    const install = (options: string) =>
      machine.run(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --metrics ${options}`);
    expect(await install("0.0.0.0:9464")).toMatchObject({ code: 2 });
    expect((await scrape()).code).toBe(7);
    expect(await install(address)).toMatchObject({ code: 0 });
    expect(await update()).toMatchObject({ code: 0 });
    const samples = readExposition((await scrape()).output);
    expect(samples).toContainEqual({ name: "gantry_link_connected", labels: {}, value: 1 });
    expect(await install("none")).toMatchObject({ code: 0 });
    expect((await scrape()).code).toBe(7);
  });

  it("an app of an activate command survives the agent's restart, kill and update", async () => {
    const port = await freePort();
    await commit({ "server.mjs": app("one") });
    const project = await api.createProject({
      name: "background",
      server_id: server.id,
      repository: REPOSITORY,
      build_command: null,
      activate_command: `PORT=${port} node server.mjs & until curl -s 127.0.0.1:${port}; do sleep 0.1; done`,
    });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    const output = `/var/lib/gantry/projects/${project.id}/output/1-1.stdout`;
    const expectUp = async () => {
      expect(await ask(port)).toBe("one");
      expect(await ask(port)).toBe("one");
    };
    await expectUp();
    await machine.tell("systemctl restart gantry-agent");
    await expectUp();
    await machine.tell("systemctl kill --kill-who=main --signal=KILL gantry-agent");
    await expectUp();
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    expect(await update()).toMatchObject({ code: 0 });
    await expectUp();
    expect((await machine.tell(`grep -c asked ${output}`)).length).toBeGreaterThan(0);
    expect(await machine.tell(`cat /var/lib/gantry/projects/${project.id}/private-tmp/last-request`)).toBe(
      "/",
    );
    expect(
      await machine.tell(`stat -c %U $(readlink -f /var/lib/gantry/projects/${project.id}/current)`),
    ).toBe(project.id);
  });

  it.each([
    ["is restarted", "systemctl restart gantry-agent"],
    ["dies", "systemctl kill --kill-who=main --signal=KILL gantry-agent"],
  ])("a build is ended when the agent %s", async (how, line) => {
    const mark = `sleep 10${how.length}`;
    const project = await api.createProject({
      name: `build-${how.replaceAll(" ", "-")}`,
      server_id: server.id,
      repository: REPOSITORY,
      build_command: `setsid ${mark} & ${mark}`,
    });
    const started = await api.start(project.id);
    const alive = async () => (await machine.run(`pgrep --full --count '^${mark}'`)).output.trim();
    await expect.poll(alive).toBe("2");
    await machine.tell(line);
    await expect.poll(alive).toBe("0");
    expect(await api.ended(started.id)).toMatchObject({ status: "failed", failure: { code: "server_lost" } });
  });

  it("the documented way to restart an app works for a deployment, a rollback and a failed release", async () => {
    const port = await freePort();
    const project = await api.createProject({
      name: "shop",
      server_id: server.id,
      repository: REPOSITORY,
      build_command: null,
      activate_command: codeOf("f=~/restart").trim(),
      health_check: { url: `http://127.0.0.1:${port}/`, tries: 20, interval_seconds: 0.2 },
    });
    const withId = (text: string) => text.replaceAll("PROJECT", project.id);
    for (const name of ["gantry-restart@.path", "gantry-restart@.service", "app-PROJECT.service"])
      await machine.write(`/etc/systemd/system/${withId(name)}`, withId(codeOf(`/${name}`)));
    await machine.write(
      `/etc/systemd/system/app-${project.id}.service.d/port.conf`,
      `[Service]\nEnvironment=PORT=${port}\n`,
    );
    await machine.tell(withId(codeOf("systemctl daemon-reload")));
    restartedProject = project.id;

    await commit({ "server.mjs": app("first") });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    expect(await ask(port)).toBe("first");
    await commit({ "server.mjs": app("second") });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    expect(await ask(port)).toBe("second");
    await commit({ "server.mjs": app("broken", 500) });
    expect(await deploy(project.id)).toMatchObject({ failure: { code: "health_check_failed" } });
    await expect.poll(() => ask(port)).toBe("second");
    const back = await api.rollBack(project.id);
    expect(await api.ended(back.id)).toMatchObject({ status: "live" });
    expect(await ask(port)).toBe("first");
    expect(await machine.tell(`ls /var/lib/gantry/projects/${project.id}/home`)).toBe("variables");
  });

  it("removing the agent keeps the apps, and purging removes everything", async () => {
    const running = async () =>
      (
        await machine.run(
          "pgrep --count --full '^node server.mjs' --uid $(getent passwd | grep ^proj_ | cut -d : -f 3 | paste -sd ,)",
        )
      ).output.trim();
    expect(await machine.run(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --uninstall`)).toMatchObject({
      code: 0,
    });
    await machine.tell(
      `systemctl disable --now --quiet app-${restartedProject} gantry-restart@${restartedProject}.path`,
    );
    expect(await running()).toBe("1");
    expect((await machine.run("ls /usr/local/bin/gantry-agent")).code).not.toBe(0);
    expect(await update()).toMatchObject({ code: 0 });
    // A unit of root is not the agent's to end.
    await machine.tell(`systemd-run --quiet --unit=own --uid=${restartedProject} sleep 1000`);
    const purged = await machine.run(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --uninstall --purge`);
    expect(purged).toMatchObject({ code: 0 });
    expect(purged.output).toContain(
      `the user ${restartedProject} is kept, because processes of it run. End them, and run: userdel ${restartedProject}`,
    );
    await machine.tell(`systemctl stop own; userdel ${restartedProject}`);
    const left =
      "ls -d /usr/local/lib/gantry /usr/local/bin/gantry* /var/lib/gantry /etc/gantry /etc/systemd/system/gantry-agent* /etc/systemd/system/gantry-isolate* /etc/systemd/system/gantry-*-.service.d /etc/systemd/system/*.wants/gantry-isolate* /etc/tmpfiles.d/gantry* /run/gantry* /run/systemd/transient/gantry-* 2>/dev/null; getent passwd | grep -E '^(gantry|proj_)'; getent group | grep -E '^(gantry|proj_)'; systemctl list-units --all --plain --no-legend 'gantry-build*' 'gantry-command*' 'gantry-app-proj*' 'gantry-isolate*' 'gantry-agent*'; pgrep --list-full node";
    expect((await machine.run(left)).output).toBe("");
  });
});
