import { afterAll, beforeAll, expect, it } from "vitest";

import { Server } from "#contract/endpoints/servers/schemas.ts";

import { loadAppText } from "./support/apps/load-app.ts";
import { AppServer } from "./support/app-server.ts";
import { ImageRegistry } from "./support/image-registry.ts";

const TEST_MS = 600_000;

const DOCKERFILE = `FROM node:24
WORKDIR /app
COPY app.cjs ./
CMD ["node", "app.cjs", "one"]
`;
const files = { Dockerfile: DOCKERFILE, "app.cjs": loadAppText() };

let withContainers: AppServer;
let without: AppServer;
beforeAll(async () => {
  withContainers = await AppServer.start({ containers: true });
  without = await AppServer.start({ gantry: withContainers.gantry });
  await ImageRegistry.start(withContainers.machine);
}, TEST_MS);
afterAll(async () => {
  await withContainers.close();
  await without.close();
});

async function read({ api, id }: AppServer): Promise<Server> {
  return Server.parse((await api.call("GET", `/v1/servers/${id}`)).json);
}

it(
  "a server that was set up for containers says so, and what images take",
  { timeout: TEST_MS },
  async () => {
    const server = withContainers;
    const version = expect.stringMatching(/^5\.\d+\.\d+$/);
    await expect
      .poll(() => read(server))
      .toMatchObject({
        containers: { engine: "podman", version },
        disk: { image_bytes: 0 },
      });
    const project = await server.createProject("shop", files, { framework: "dockerfile" });
    await server.expectLive(project.id);
    const measured = `/var/lib/gantry/projects/${project.id}/images.json`;
    await expect
      .poll(async () => (await server.machine.run(`cat ${measured}`)).code, { timeout: 60_000 })
      .toBe(0);
    await server.machine.tell("systemctl restart gantry-agent");
    const bytes = async () => (await read(server)).disk?.image_bytes ?? 0;
    // The base image alone has Debian and Node.
    await expect.poll(bytes, { timeout: 60_000 }).toBeGreaterThan(100 * 2 ** 20);
    expect((await read(server)).disk?.images).toEqual([{ project_id: project.id, bytes: await bytes() }]);
    const status = await server.machine.tell("gantry-agent status");
    expect(status).toMatch(/^containers: podman 5\.\d+\.\d+$/m);
    expect(status).toMatch(/^images of projects: \d+ MiB$/m);
  },
);

it(
  "a server that was not refuses a project with a Dockerfile before anything else",
  { timeout: TEST_MS },
  async () => {
    const server = without;
    const problem = expect.stringMatching(/not set up for containers.*--with-containers/);
    await expect.poll(() => read(server)).toMatchObject({ containers: { engine: null, problem } });
    const project = await server.createProject("blog", files, { framework: "dockerfile" });
    const started = await server.api.call("POST", `/v1/projects/${project.id}/deployments`);
    expect(started).toMatchObject({
      status: 409,
      json: {
        code: "containers_missing",
        detail: expect.stringMatching(/cannot run containers.* --with-containers/),
      },
    });
    const detail = JSON.stringify(started.json);
    const line = /Run there as root: (curl [^"]*--with-containers)\./.exec(detail)?.[1] ?? "";
    // This Debian is older than what containers need.
    expect(await server.machine.run(line)).toMatchObject({ code: 17 });
  },
);

it("an uninstallation removes the settings and leaves the packages", { timeout: TEST_MS }, async () => {
  const { machine } = withContainers;
  const settings =
    "ls -d /usr/local/lib/gantry/containers.conf /etc/containers/registries.conf.d/*gantry* /etc/systemd/system/gantry-*podman*";
  expect((await machine.tell(settings)).trim().split("\n")).toHaveLength(5);
  await machine.tell("sh /usr/local/lib/gantry/install.sh --uninstall");
  expect((await machine.run(`${settings} 2>/dev/null`)).output).toBe("");
  expect(await machine.tell("podman --version")).toMatch(/^podman version 5/);
});
