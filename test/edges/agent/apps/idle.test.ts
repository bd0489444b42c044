import { afterEach, beforeEach, expect, it } from "vitest";

import { ids, AgentWorld } from "../../../agent/support/harness.ts";

const APPS = 5;
const STATUSES = 10;

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  await world.startAgent({ statusMs: 100 });
});
afterEach(() => world.close());

/** What the control plane gets of the agent while it sends its status several times. */
async function idleTraffic() {
  const { control } = world;
  const before = { messages: control.messages.length, posts: control.posts, links: control.linkTries.length };
  const since = () => control.messages.slice(before.messages).map(({ type }) => type);
  await control.waitFor(
    "several statuses",
    () => since().filter((type) => type === "status").length >= STATUSES,
  );
  return {
    types: [...new Set(since())],
    posts: control.posts - before.posts,
    links: control.linkTries.length - before.links,
  };
}

it("an idle agent sends nothing more with several apps than without any", async () => {
  const without = await idleTraffic();
  expect(without).toEqual({ types: ["status"], posts: 0, links: 0 });
  world.repository.commit({ "index.html": "" });
  const processes = { worker: { command: "exec sleep 1000" } };
  const runs = Array.from({ length: APPS }, () =>
    world.control.dispatch(world.order({ project_id: ids.project(), processes })),
  );
  for (const run of runs) expect(await world.control.result(run)).toMatchObject({ outcome: "live" });
  expect(await idleTraffic()).toEqual(without);
});
