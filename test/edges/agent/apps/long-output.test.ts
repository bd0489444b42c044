import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AgentAnswer } from "#contract/agent-answers.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { AppOutput } from "#contract/endpoints/output/schemas.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** Deploys processes with these logs, and reads their last lines. */
async function readOutput(names: readonly string[], log: string): Promise<AppOutput["lines"]> {
  await world.startAgent();
  const processes = Object.fromEntries(names.map((name) => [name, { command: "exec sleep 600" }]));
  expect((await world.deploy({ processes })).result.outcome).toBe("live");
  const folder = projectFolder(world.home, world.projectId);
  for (const name of names) writeFileSync(instanceLog(folder, `${name}-1-0`), log);
  world.control.send({
    ...{ type: "read_output", request_id: "output", project_id: world.projectId, lines: 1000, ended: false },
  });
  const find = () =>
    world.control.messages.find(
      (one): one is Extract<AgentAnswer, { type: "output_read" }> => one.type === "output_read",
    );
  await world.control.waitFor("the output", () => find() !== undefined);
  return find()?.lines ?? [];
}

// A message that the control plane does not accept closes the link of the whole server.
describe("the output of a project", () => {
  it("is left out where it would make the message too long", async () => {
    const names = ["a", "b", "c", "d"];
    // The JSON of this character is six times as long.
    const line = (at: number) => `${at}${"\u0001".repeat(8_000)}\n`;
    const lines = await readOutput(names, Array.from({ length: 30 }, (_, at) => line(at)).join(""));
    expect(JSON.stringify(lines).length).toBeLessThan(MAX_LINK_MESSAGE / 2);
    const last = lines.filter(({ message }) => message.startsWith("29"));
    expect(last.map(({ instance }) => instance)).toEqual(names.map((name) => `${name}-1-0`));
  });

  it("is cut in a line that has become too long because passwords in it are hidden", async () => {
    const lines = await readOutput(["a"], `${"a://:x@".repeat(2_300)}\n`);
    expect(AppOutput.safeParse({ lines }).error).toBeUndefined();
    expect(lines[0]?.message).toMatch(/^a:\/\/:\*\*\*@a:.* bytes of this line are cut\]$/);
  });
});
