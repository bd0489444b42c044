import { expect, it } from "vitest";

import { IMAGES } from "#contract/agent-protocol.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { ORIGIN, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { TestProject } from "../../support/worker/project.ts";

type Containers = NonNullable<ConnectedAgent["containers"]>;

const podman: Containers = { engine: "podman", version: "5.4.2" };
const none: Containers = { engine: null, problem: "This server is not set up for containers." };

/** Has an agent report what makes containers, and waits until the control plane knows it. */
async function report(project: TestProject, agent: ConnectedAgent, containers: Containers | undefined) {
  agent.containers = containers;
  agent.status([]);
  await known(project, agent, containers);
}

/** Waits until the control plane knows what makes containers on a server. */
async function known(project: TestProject, agent: ConnectedAgent, containers: Containers | undefined) {
  await expect
    .poll(async () => {
      const server = await project.get(`/v1/servers/${agent.serverId}`);
      return Server.parse(await server.json()).containers;
    })
    .toEqual(containers ?? null);
}

const start = (project: TestProject) => project.post(`/v1/projects/${project.id}/deployments`);

it("a start of a project with a Dockerfile is refused before anything else if its server has no containers", async () => {
  const project = await TestProject.connected({ framework: "dockerfile" });
  await report(project, project.agent, none);
  const refused = await start(project);
  expect(refused.status).toBe(409);
  expect(await problemOf(refused)).toMatchObject({
    code: "containers_missing",
    detail: `The project runs as a container, and web-1 cannot run containers. Run there as root: curl -fsSL ${ORIGIN}/install.sh | sh -s -- --with-containers. gantry servers show says what a server lacks.`,
  });
  const other = await project.post("/v1/deploy", { project_id: project.id });
  expect(await problemOf(other)).toMatchObject({ code: "containers_missing" });
  expect(await (await project.get("/v1/deployments")).json()).toMatchObject({ deployments: [] });
  await report(project, project.agent, podman);
  expect((await start(project)).status).toBe(201);
});

it("a start of another project is not refused", async () => {
  const project = await TestProject.connected({ framework: "astro" });
  await report(project, project.agent, none);
  expect((await start(project)).status).toBe(201);
});

it("an agent that does not say what makes containers is too old only for a Dockerfile", async () => {
  const project = await TestProject.connected();
  await report(project, project.agent, undefined);
  expect((await start(project)).status).toBe(201);
  expect((await project.patch({ framework: "dockerfile" })).status).toBe(200);
  expect(await problemOf(await start(project))).toMatchObject({
    code: "agent_outdated",
    detail: `The agent of web-1 is too old for a project that runs as a container. Update there: curl -fsSL ${ORIGIN}/install.sh | sh`,
  });
});

it("a start of a project whose repository has images is refused if its server cannot run them", async () => {
  const project = await TestProject.connected({ repository: "docker://ghcr.io/acme/shop", branch: "v1" });
  await report(project, project.agent, none);
  expect(await problemOf(await start(project))).toMatchObject({ code: "containers_missing" });
  await report(project, project.agent, podman);
  const started = await start(project);
  expect(started.status).toBe(201);
  const { id } = DeploymentStarted.parse(await started.json());
  const order = await project.agent.orderOf(id);
  expect(order.source).toMatchObject({
    repository: "docker://ghcr.io/acme/shop",
    branch: "v1",
    commit: null,
  });
});

it("an agent that does not know images is too old for them", async () => {
  const project = await TestProject.create({ repository: "docker://ghcr.io/acme/shop" });
  project.agent.capabilities = project.agent.capabilities.filter((one) => one !== IMAGES);
  project.agent.containers = podman;
  await project.agent.connect();
  await known(project, project.agent, podman);
  expect(await problemOf(await start(project))).toMatchObject({ code: "agent_outdated" });
});

it("a server whose agent was never connected does not count", async () => {
  const project = await TestProject.create({ framework: "dockerfile" });
  expect((await start(project)).status).toBe(201);
});

it("the servers without containers are named, among several and a server that only builds", async () => {
  const { project, agents } = await TestProject.onServers(3, { framework: "dockerfile" });
  const builder = await enrolAgent(project.token, "builder");
  await builder.connect();
  for (const agent of [...agents, builder]) await report(project, agent, podman);
  expect((await project.patch({ build_on: builder.serverId })).status).toBe(200);
  const reported = [
    [[agents[1], builder], "web-2, builder cannot"],
    [[agents[0]], "web-1 cannot"],
    [[builder], "builder cannot"],
  ] as const;
  for (const [lacking, text] of reported) {
    for (const agent of [...agents, builder])
      await report(project, agent, lacking.some((one) => one === agent) ? none : podman);
    expect(await problemOf(await start(project))).toMatchObject({
      code: "containers_missing",
      detail: expect.stringContaining(`and ${text} run containers.`),
    });
  }
});
