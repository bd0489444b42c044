import { env, runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";

import { LaneOutbox } from "#worker/objects/project-lane/lane-outbox.ts";
import { LaneStore } from "#worker/objects/project-lane/lane-store.ts";

import { ids } from "../../support/worker/account.ts";
import { TestProject } from "../../support/worker/project.ts";

it("stores a lane with the names of version 0.1, and reads it with the current ones", async () => {
  const project = await TestProject.connected();
  await project.deploy();
  project.agent.cut();
  await project.start({});
  const lane = env.PROJECT_LANE.getByName(project.id);
  const [before, stored, read] = await runInDurableObject(lane, (_lane, { storage: { sql } }) => {
    const known = new LaneStore(sql).load();
    const rows = sql.exec<{ json: string }>("SELECT json FROM lane UNION ALL SELECT json FROM deployments");
    return [known, rows.toArray().map(({ json }) => json), new LaneStore(sql).load()] as const;
  });
  expect(stored.join("\n")).toMatch(/"told":\{"at":\d+,"kept":true\}/);
  expect(stored.join("\n")).toMatch(/"hosts":\[\{/);
  expect(stored.join("\n")).not.toMatch(/"(?:placements|lastSend|sentAt|undelivered)":/);
  expect(JSON.stringify(read)).toMatch(/"lastSend":\{"sentAt":\d+,"undelivered":true\}/);
  expect(read).toEqual(before);
});

it("delivers what version 0.1 had not delivered yet", async () => {
  const project = await TestProject.connected();
  await project.deploy();
  const preset = { framework: "vite", build_command: "vite build", output_directory: "dist" };
  const report = { project_id: project.id, release: null, releases: [1], url: null };
  const found = { serverId: ids.server(), report };
  const read = await runInDurableObject(
    env.PROJECT_LANE.getByName(project.id),
    (_lane, { storage: { sql } }) => {
      sql.exec("CREATE TABLE found (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)");
      sql.exec("CREATE TABLE restores (server_id TEXT PRIMARY KEY, json TEXT NOT NULL)");
      sql.exec("INSERT INTO found VALUES (1, ?)", JSON.stringify(preset));
      sql.exec("INSERT INTO restores VALUES (?, ?)", found.serverId, JSON.stringify(found));
      // The second one finds the tables moved.
      return [new LaneOutbox(sql), new LaneOutbox(sql)].map((outbox) => ({
        detected: outbox.unwrittenDetected(true),
        corrections: outbox.corrections(),
      }));
    },
  );
  const delivered = {
    detected: { ...preset, install_command: null, trailing_slash: "auto", fallback: null },
    corrections: [found],
  };
  expect(read).toEqual([delivered, delivered]);
});

it("welcomes an agent next to a socket that version 0.1 had ended", async () => {
  const project = await TestProject.connected();
  await runInDurableObject(env.AGENT_LINK.getByName(project.agent.serverId), (_link, state) => {
    for (const socket of state.getWebSockets())
      socket.serializeAttachment({ credentialHash: "0", openedAt: 0, state: "over" });
  });
  await project.agent.connect();
  await vi.waitFor(() =>
    expect(project.agent.received.filter(({ type }) => type === "welcome")).toHaveLength(2),
  );
  await project.deploy();
});

it("stores a deployment's variables where an earlier version does not read them", async () => {
  const project = await TestProject.connected();
  await project.set({ name: "URL", value: "https://shop.test" });
  const { id } = await project.deploy();
  const lane = env.PROJECT_LANE.getByName(project.id);
  const [rows, read] = await runInDurableObject(lane, (_lane, { storage: { sql } }) => [
    sql.exec("SELECT json, variables FROM deployments").toArray(),
    new LaneStore(sql).load().deployments.find((one) => one.id === id)?.variables,
  ]);
  expect(rows).toEqual([{ json: expect.not.stringContaining("variables"), variables: expect.any(String) }]);
  expect(read).toEqual({ revision: 1, deployed: false });
});
