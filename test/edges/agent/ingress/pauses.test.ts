import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { localSlotsFolder, slotFiles } from "#agent/ingress/slots.ts";
import { createSites } from "#agent/sites/sites-client.ts";
import type { PauseResult } from "#contract/endpoints/traffic/pause.ts";
import { pause } from "#contract/lib/pause.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";
import { startSites } from "../../../agent/support/sites-process.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const files = () => slotFiles(localSlotsFolder(world.home), world.projectId);
let requests = 0;
async function hold(seconds: number): Promise<PauseResult | null> {
  const request_id = `pause-${++requests}`;
  world.control.send({ type: "set_pause", request_id, project_id: world.projectId, seconds });
  const isAnswer = (one: object) => "request_id" in one && one.request_id === request_id;
  await world.control.waitFor("the answer", () => world.control.messages.some(isAnswer));
  const answer = world.control.messages.find(isAnswer);
  return answer?.type === "pause_set" ? answer.result : null;
}
const isHeld = async (answer: Promise<unknown>) =>
  (await Promise.race([answer, pause(400).then(() => "held")])) === "held";

describe("a paused project", () => {
  it("answers when the pause ends: at its time, or earlier", async () => {
    const socket = join(world.folder, "sites.sock");
    const server = await startSites({ home: world.home, socket, firstPort: 18480 });
    const sites = createSites(socket, () => undefined);
    await world.startAgent({}, sites);
    expect(await hold(1)).toMatchObject({ ok: false, code: "not_live" });
    await world.deploy();
    const get = async () => (await fetch(sites.urlOf(world.projectId) ?? "")).text();
    expect(await hold(20)).toEqual({ ok: true });
    // As if this pause had been begun again and again for long.
    writeFileSync(join(files().paused, "1000"), "");
    expect(await hold(20)).toEqual({ ok: true });
    expect(readdirSync(files().paused)).not.toContain("1000");
    const held = get();
    expect(await isHeld(held)).toBe(true);
    expect(await hold(0)).toEqual({ ok: true });
    expect(await held).toBe("one");
    expect(await hold(4)).toEqual({ ok: true });
    const second = get();
    expect(await isHeld(second)).toBe(true);
    expect(await second).toBe("one");
    await expect.poll(() => existsSync(files().paused)).toBe(false);
    server.kill();
  });

  it("stays paused during a restart of the agent, which then ends the pause", async () => {
    const socket = join(world.folder, "sites.sock");
    const server = await startSites({ home: world.home, socket, firstPort: 18490 });
    const sites = createSites(socket, () => undefined);
    const agent = await world.startAgent({}, sites);
    await world.deploy();
    await hold(5);
    const seconds = readdirSync(files().paused).map(Number);
    expect(seconds.length).toBeGreaterThanOrEqual(2);
    await agent.stop();
    expect(readdirSync(files().paused).map(Number)).toEqual(seconds);
    await world.startAgent({}, sites);
    await expect.poll(() => existsSync(files().paused)).toBe(false);
    expect(Date.now()).toBeGreaterThanOrEqual(Math.min(...seconds) * 1000 + 5000);
    expect(readFileSync(files().gate, "utf8")).toContain("open");
    server.kill();
  });

  it("cannot be one without an ingress that could hold its requests", async () => {
    await world.startAgent();
    await world.deploy();
    expect(await hold(5)).toMatchObject({ ok: false, code: "no_ingress" });
    expect(existsSync(files().paused)).toBe(false);
  });
});
