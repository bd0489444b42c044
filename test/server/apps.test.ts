import { afterAll, beforeAll, expect, it } from "vitest";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const REPOSITORY = "/srv/app";

/** Answers with its release and its secret, and says where it listens. */
const app = (release: string) => `
import { createServer } from "node:http";
const server = createServer((request, response) => response.end("${release} " + process.env.TOKEN));
server.listen(Number(process.env.PORT), process.env.HOST, () => console.log("port", process.env.PORT));
`;

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let project: { readonly id: string };
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  api = createApi(gantry.url, gantry.token);
  const server = await registerServer(gantry);
  await machine.allowLocalRepositories();
  await machine.tell(server.enrollment.command);
  project = await api.createProject({ name: "shop", server_id: server.id, repository: REPOSITORY });
  const set = [{ name: "TOKEN", value: "a secret of the app", secret: true }];
  await api.call("PATCH", `/v1/projects/${project.id}/variables`, { set });
});
afterAll(() => machine.close());

async function deploy(release: string): Promise<void> {
  await machine.write(`${REPOSITORY}/server.mjs`, app(release));
  await machine.write(`${REPOSITORY}/Procfile`, "web: node server.mjs\n");
  await machine.tell(
    `chown -R root ${REPOSITORY} && cd ${REPOSITORY} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry ${REPOSITORY}`,
  );
  const { id } = await api.start(project.id);
  expect(await api.ended(id)).toMatchObject({ status: "live", failure: null });
}

const unitOf = (name: string) => `gantry-app-${project.id}-${name}.service`;
const pidOf = (name: string) => machine.tell(`systemctl show -p MainPID --value ${unitOf(name)}`);
const units = async () =>
  (
    await machine.tell(
      `systemctl list-units --plain --no-legend 'gantry-app-${project.id}-*' | cut -d ' ' -f 1`,
    )
  )
    .split("\n")
    .filter((name) => name !== "");

async function ask(name: string): Promise<string> {
  const log = `/var/lib/gantry/projects/${project.id}/logs/${name}.log`;
  return (await machine.run(`curl -sS -m 5 http://127.0.0.1:$(sed -n 's/^port //p' ${log} | tail -n 1)/`))
    .output;
}

it("an app of a repository runs as a unit of its project's user", async () => {
  await deploy("one");
  expect(await units()).toEqual([unitOf("web-1-0")]);
  expect(await ask("web-1-0")).toBe("one a secret of the app");
  expect(await machine.tell(`ps -o user:40= -p ${await pidOf("web-1-0")}`)).toBe(project.id);
});

it("an app is not touched by a restart, a kill or an update of the agent", async () => {
  const pid = await pidOf("web-1-0");
  const expectSame = async () => {
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    expect(await ask("web-1-0")).toBe("one a secret of the app");
    expect(await pidOf("web-1-0")).toBe(pid);
    expect(await units()).toEqual([unitOf("web-1-0")]);
  };
  await machine.tell("systemctl restart gantry-agent");
  await expectSame();
  await machine.tell("systemctl kill --kill-who=main --signal=KILL gantry-agent");
  await expectSame();
  expect(await machine.run(`curl -fsSL ${gantry.url}/install.sh | sh`)).toMatchObject({ code: 0 });
  await expectSame();
});

it("an app is replaced by the next release's app, and nothing of the earlier app is left", async () => {
  await api.call("PATCH", `/v1/projects/${project.id}`, { drain_seconds: 0 });
  await deploy("two");
  expect(await ask("web-2-0")).toBe("two a secret of the app");
  await expect.poll(units).toEqual([unitOf("web-2-0")]);
  // The helper deletes its files after the end of the unit.
  await expect.poll(() => machine.tell("ls /run/gantry-isolate/apps")).not.toContain("web-1-0");
});

it("an app runs again after a reboot", async () => {
  await machine.reboot();
  await expect.poll(() => ask("web-2-0")).toBe("two a secret of the app");
  expect(await units()).toEqual([unitOf("web-2-0")]);
});

it("an app ends when the agent is uninstalled, and runs again when it is installed again", async () => {
  await machine.tell(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --uninstall`);
  expect(await units()).toEqual([]);
  expect(await machine.run(`curl -fsSL ${gantry.url}/install.sh | sh`)).toMatchObject({ code: 0 });
  await expect.poll(() => ask("web-2-0")).toBe("two a secret of the app");
});

it("an app is gone with its project", async () => {
  await api.call("DELETE", `/v1/projects/${project.id}?purge=true`);
  const left = `ls -d /var/lib/gantry/projects/${project.id} 2>/dev/null; getent passwd ${project.id}; ls -A /run/gantry-isolate/apps`;
  await expect.poll(async () => (await machine.run(left)).output).toBe("");
  expect(await units()).toEqual([]);
});
