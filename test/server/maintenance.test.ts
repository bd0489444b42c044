import { afterAll, beforeAll, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";

import { eventually } from "../support/faults/eventually.ts";
import { AppServer } from "./support/app-server.ts";

const app = (release: string) => ({
  "server.mjs": `
import { createServer } from "node:http";
createServer((request, response) => response.end("${release}")).listen(Number(process.env.PORT), process.env.HOST);
`,
  Procfile: "web: node server.mjs\n",
});

/** Other files of tests use the same control plane, and shop.localhost. */
const DOMAIN = "maintained.localhost";

let server: AppServer;
let project: Project;
beforeAll(async () => {
  server = await AppServer.start({ ingress: true });
  const health_check = { path: "/", status: 200, tries: 3, interval_seconds: 1, timeout_seconds: 5 };
  project = await server.createProject("maintained", app("one"), { domain: DOMAIN, health_check });
  await server.expectLive(project.id);
  await server.target(DOMAIN);
});
afterAll(() => server.close());

const traffic = async (action: string, body: unknown) =>
  (await server.api.call("POST", `/v1/projects/${project.id}/${action}`, body)).json;
const ask = (path = "/") => server.ask(DOMAIN, path);
const read = async (path: string) => (await server.api.call("GET", path)).json;

it("maintenance shows visitors the page, and lets deployments check the app through the ingress", async () => {
  expect(await traffic("maintenance", { on: true, message: "Back <soon>" })).toMatchObject({ applied: true });
  expect(await ask()).toContain("<p>Back &lt;soon&gt;</p>");
  expect(await server.ask(DOMAIN, "/", "--include")).toMatch(/ 503[^]*retry-after: 60/i);
  await server.commit("maintained", app("two"));
  await server.expectLive(project.id);
  expect(await ask()).toContain("Back &lt;soon&gt;");
});

it("maintenance stays after a reboot, until it is turned off", async () => {
  await server.machine.reboot();
  await eventually("the page is shown again", async () => (await ask()).includes("Back &lt;soon&gt;"));
  expect(await ask()).not.toContain("two");
  await eventually("the agent is connected", async () => {
    return MaintenanceSet.parse(await traffic("maintenance", { on: false })).applied;
  });
  await eventually("the app answers", async () => (await ask()) === "two");
});

it("a pause holds requests, also while a release is deployed", async () => {
  await server.commit("maintained", app("three"));
  expect(await traffic("pause", { seconds: 30 })).toMatchObject({ paused_until: expect.any(String) });
  const held = ask();
  await server.expectLive(project.id);
  expect(await traffic("resume", {})).toEqual({ paused_until: null });
  expect(await held).toBe("three");
});

it("a problem of the ingress is in the server, the project and the log of a deployment", async () => {
  const serverPath = `/v1/servers/${project.server_id}`;
  const projectPath = `/v1/projects/${project.id}`;
  const problem = { ingress_problem: expect.stringContaining("does not answer") };
  await server.machine.tell("systemctl stop gantry-ingress");
  await expect.poll(() => read(serverPath)).toMatchObject({ ...problem, status: "degraded" });
  await expect.poll(() => read(projectPath)).toMatchObject(problem);
  // Without a check through the ingress, it goes live.
  const files = await server.createProject(
    "maintained-files",
    { "index.html": "files" },
    { domain: "maintained-files.localhost" },
  );
  const deployment = await server.deploy(files.id);
  expect(deployment.status).toBe("live");
  const lines = (await server.api.log(deployment.id)).map(({ message }) => message);
  expect(lines).toContainEqual(expect.stringMatching(/^warning: The ingress \(Caddy\) does not answer/));
  await server.machine.tell("systemctl start gantry-ingress");
  await expect.poll(() => read(serverPath)).toMatchObject({ ingress_problem: null });
  await expect.poll(() => read(projectPath)).toMatchObject({ ingress_problem: null });
  await eventually(
    "the site is served",
    async () => (await server.ask("maintained-files.localhost")) === "files",
  );
});
