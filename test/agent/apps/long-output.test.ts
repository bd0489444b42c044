import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, expect, it } from "vitest";

import type { AgentAnswer } from "#contract/agent-requests.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { World } from "../support/harness.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

it("leaves out output that would make the message too long, which would close the link of the whole server", async () => {
  await world.startAgent();
  const names = ["a", "b", "c", "d"];
  const processes = Object.fromEntries(names.map((name) => [name, { command: "exec sleep 600" }]));
  expect((await world.deploy({ processes })).result.outcome).toBe("live");
  // The JSON of this character is six times as long.
  const line = (at: number) => `${at}${"\u0001".repeat(8_000)}\n`;
  const text = Array.from({ length: 30 }, (_, at) => line(at)).join("");
  const folder = projectFolder(world.home, world.projectId);
  for (const name of names) writeFileSync(instanceLog(folder, `${name}-1-0`), text);
  world.control.send({
    ...{ type: "read_output", request_id: "output", project_id: world.projectId, lines: 1000 },
  });
  const find = () =>
    world.control.messages.find(
      (one): one is Extract<AgentAnswer, { type: "output_read" }> => one.type === "output_read",
    );
  await world.control.waitFor("the output", () => find() !== undefined);
  const answer = find();
  expect(JSON.stringify(answer).length).toBeLessThan(MAX_LINK_MESSAGE / 2);
  const last = answer?.lines.filter(({ message }) => message.startsWith("29"));
  expect(last?.map(({ instance }) => instance)).toEqual(names.map((name) => `${name}-1-0`));
});
