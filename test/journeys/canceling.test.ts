import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { processesOf } from "../support/journey-processes.ts";
import { createRepository, type Repository } from "../support/journey-repository.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

const SLEEP = `865${process.pid}`;

let system: UsedSystem;
let repository: Repository;
let unresponsiveServer: Server;
/** A deployment that has ended. */
let ended: string;

beforeAll(async () => {
  system = await useSystem();
  repository = await createRepository(join(system.folder, "desk"));
  // Accepts connections and never responds, so that a fetch runs until it is stopped.
  unresponsiveServer = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(unresponsiveServer, "listening");
});
afterAll(() => unresponsiveServer.close());

const cancel = (id: string) => system.api.call("POST", `/v1/deployments/${id}/cancel`);
const isAt = (stage: string) => (deployment: { stage: string | null }) => deployment.stage === stage;

async function createProject(name: string, settings: Record<string, unknown>): Promise<string> {
  const { id } = await system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: repository.path,
    ...settings,
  });
  return id;
}

describe("canceling a deployment", () => {
  it("stops the processes of a build, and the next deployment goes live", async () => {
    await repository.commit({ "index.html": "slow", "build.sh": `sleep ${SLEEP} & sleep ${SLEEP}` });
    const project = await createProject("desk", { build_command: "sh build.sh" });
    const building = await system.api.start(project);
    await system.api.waitUntil(building.id, isAt("build"));
    await expect.poll(() => processesOf(`sleep ${SLEEP}`)).not.toEqual([]);
    await repository.commit({ "index.html": "fast", "build.sh": "true" });
    const next = await system.api.start(project);
    expect(await system.api.getDeployment(next.id)).toMatchObject({
      stage: "queued",
      waiting_on: { type: "deployment", id: building.id, position: 1 },
    });

    expect((await cancel(building.id)).status).toBe(200);
    expect((await system.api.ended(building.id)).status).toBe("canceled");
    expect(await processesOf(`sleep ${SLEEP}`)).toEqual([]);
    expect((await system.api.ended(next.id)).status).toBe("live");
    ended = next.id;
    const { url } = await system.api.getProject(project);
    expect(await (await fetch(url ?? "")).text()).toBe("fast");
  });

  it("stops the git of a fetch, and the next deployment starts; a queued deployment is canceled at once", async () => {
    const address = unresponsiveServer.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const project = await createProject("far", { repository: `https://127.0.0.1:${port}/far.git` });
    const fetching = await system.api.start(project);
    const queued = await system.api.start(project);
    const next = await system.api.start(project);
    await system.api.waitUntil(fetching.id, isAt("fetch"));
    await expect.poll(() => processesOf(`127.0.0.1:${port}/far.git`)).not.toEqual([]);

    const atOnce = await cancel(queued.id);
    expect([atOnce.status, atOnce.json]).toMatchObject([200, { status: "canceled", stage: null }]);

    expect((await cancel(fetching.id)).status).toBe(200);
    expect((await system.api.ended(fetching.id)).status).toBe("canceled");
    // The queued deployment was canceled, so it never started.
    await system.api.waitUntil(next.id, isAt("fetch"));
    expect((await system.api.getDeployment(queued.id)).started_at).toBeNull();

    // Deleting a running deployment cancels it, and removes it from the lists at once.
    const path = `/v1/projects/${project}/deployments/${next.id}`;
    expect((await system.api.call("DELETE", path)).status).toBe(204);
    expect((await system.api.call("GET", `/v1/deployments/${next.id}`)).status).toBe(404);
    await expect.poll(() => processesOf(`127.0.0.1:${port}/far.git`)).toEqual([]);
  });

  it("is refused after the deployment has ended", async () => {
    const response = await cancel(ended);
    expect([response.status, response.json]).toMatchObject([409, { code: "not_cancelable" }]);
  });
});
