import { afterAll, beforeAll, expect, it } from "vitest";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createApi } from "../support/journey-api.ts";
import { createCli } from "./support/command.ts";
import { createServerWithKey, type ServerWithKey } from "./support/server-with-key.ts";

const cli = createCli();
const NAME = "shown";
let gantry: Gantry;
let server: ServerWithKey;

beforeAll(async () => {
  gantry = await useGantry();
  server = await createServerWithKey(gantry, NAME);
});
afterAll(() => server.stop());

/** A fact that `gantry servers show` prints; undefined: it prints none. */
async function factOf(name: string): Promise<string | undefined> {
  const env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
  const { stdout } = await cli.run(["servers", "show", NAME], { env });
  return new RegExp(`^${name}\\s+(.*)$`, "m").exec(stdout)?.[1];
}

it("gantry servers show prints what makes containers, or why nothing does", async () => {
  expect(await factOf("containers")).toBeUndefined();
  const { agent } = server;
  agent.containers = { engine: "podman", version: "5.4.2" };
  agent.status([]);
  await expect.poll(() => factOf("containers")).toBe("podman 5.4.2");
  agent.containers = { engine: null, problem: "podman does not start.\u001B[2J" };
  agent.status([]);
  await expect.poll(() => factOf("containers")).toBe("no: podman does not start.");
});

it("gantry servers show prints what images take, if there are any", async () => {
  const { agent } = server;
  const { disk } = agent;
  agent.disk = { ...disk, cache_bytes: 0, image_bytes: 0 };
  agent.status([]);
  await expect.poll(() => factOf("caches")).toBe("0.0 MiB");
  expect(await factOf("images")).toBeUndefined();
  agent.disk = { ...disk, cache_bytes: 0, image_bytes: 1_340_000_000 };
  agent.status([]);
  await expect.poll(() => factOf("images")).toBe("1.2 GiB");
  const { id } = await createApi(gantry.url, gantry.token).createProject({
    name: "shop",
    server_id: agent.serverId,
    repository: "https://git.example.com/acme/shop.git",
  });
  const images = [{ project_id: id, bytes: 1_340_000_000 }];
  agent.disk = { ...agent.disk, images };
  agent.status([]);
  await expect.poll(() => factOf("images")).toBe("1.2 GiB: shop 1.2 GiB");
});
