import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { localSlotsFolder, slotFiles } from "#agent/ingress/slots.ts";
import { createSites } from "#agent/sites/sites-client.ts";

import { AgentWorld } from "../support/harness.ts";
import { startSites } from "../support/sites-process.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const files = () => slotFiles(localSlotsFolder(world.home), world.projectId);
const set = async (revision: number, on: boolean, message: string | null = null) => {
  const request_id = `change-${revision}-${String(on)}`;
  const maintenance = { revision, on, message };
  world.control.send({ type: "set_maintenance", request_id, project_id: world.projectId, maintenance });
  return await world.control.waitFor("the answer", () =>
    world.control.messages.find((one) => "request_id" in one && one.request_id === request_id),
  );
};

describe("a project in maintenance", () => {
  it("says that visitors do not get the page of a server without an ingress", async () => {
    await world.startAgent();
    await world.deploy();
    expect(await set(1, true)).toMatchObject({
      problem: "The server has no Gantry ingress. Visitors do not get the page.",
    });
    expect(await set(2, false)).toMatchObject({ problem: null });
  });

  it("shows visitors the message as text, and its deployments pass their health checks", async () => {
    const socket = join(world.folder, "sites.sock");
    const server = await startSites({ home: world.home, socket, firstPort: 18450 });
    const sites = createSites(socket, () => undefined);
    await world.startAgent({}, sites);
    await world.deploy();
    const url = sites.urlOf(world.projectId) ?? "";
    await set(1, true, "Back <b>soon</b> & better");
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await answer.text()).toContain("Back &lt;b&gt;soon&lt;/b&gt; &amp; better");
    const health_check = { path: "/", status: 200, tries: 1, interval_seconds: 1, timeout_seconds: 5 };
    expect((await world.deploy({ health_check, keep_releases: [1] })).result).toMatchObject({
      outcome: "live",
    });
    expect((await fetch(url)).status).toBe(503);
    await set(2, false);
    expect(await (await fetch(url)).text()).toBe("one");
    server.kill();
  });

  it("stays so after a restart that empties the slots, and an older change does not end it", async () => {
    const agent = await world.startAgent();
    await world.deploy();
    await set(5, true);
    await set(4, false);
    await agent.stop();
    rmSync(localSlotsFolder(world.home), { recursive: true });
    const next = await world.startAgent();
    expect(readFileSync(files().maintenance, "utf8")).toContain("will be back soon");
    await set(6, false);
    await next.stop();
    await world.startAgent();
    expect(existsSync(files().maintenance)).toBe(false);
  });

  it("is so by its first order too, and no longer after its removal", async () => {
    await world.startAgent();
    await set(3, true);
    expect(world.has("maintenance.json")).toBe(false);
    await world.deploy({ maintenance: { revision: 3, on: true, message: null } });
    expect(existsSync(files().maintenance)).toBe(true);
    await world.deploy({ maintenance: { revision: 2, on: false, message: null }, keep_releases: [1] });
    expect(existsSync(files().maintenance)).toBe(true);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the removal", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    expect(world.has("maintenance.json") || existsSync(files().folder)).toBe(false);
  });
});
