import { expect, it, vi } from "vitest";

import { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import { ProjectLane } from "#worker/objects/project-lane/project-lane.ts";
import page from "../../../../docs/scaling.md?raw";
import { deployToAll } from "../../../support/worker/deploy-to-all.ts";
import { aroundCalls } from "../../../support/worker/intercept.ts";
import { partMethods } from "../../../support/worker/parts.ts";
import { TestProject } from "../../../support/worker/project.ts";

/** The most servers that a project can have. */
const SERVERS = 50;

/** What the page says of the most calls of links, of a lane and of a request. */
function saidMost(): { readonly lane: number; readonly request: number } {
  const sentence = /calls at most (\d+) links in one invocation, and a request at most (\d+)/.exec(
    page.replaceAll("\n", " "),
  );
  const [, lane, request] = (sentence ?? []).map(Number);
  if (lane === undefined || request === undefined) throw new Error("docs/scaling.md does not say it");
  return { lane, request };
}

/** Counts the calls of links that follow each call of a lane or its alarm, until the test ends. */
function countTurns(): readonly number[] {
  const turns = [0];
  const isLane = ({ part, method }: { part: string; method: string }) =>
    part === "lane" && method !== "fetch";
  const methods = partMethods()
    .filter(isLane)
    .map(({ owner, method }) => ({ owner, method }));
  for (const { owner, method } of [...methods, { owner: ProjectLane.prototype, method: "alarm" }])
    aroundCalls(owner, method, (act) => {
      turns.push(0);
      return act();
    });
  aroundCalls(AgentLink.prototype, "deliver", (act) => {
    turns.push((turns.pop() ?? 0) + 1);
    return act();
  });
  return turns;
}

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

it(`a lane with ${SERVERS} servers, and a change of its domain, stay within the calls of an invocation`, async () => {
  const { project, agents } = await TestProject.onServers(SERVERS);
  await deployToAll(project, agents);
  const most = saidMost();

  const notified: (readonly unknown[])[] = [];
  aroundCalls(AgentLink.prototype, "fleetChanged", (act, [others]) => {
    notified.push(Array.isArray(others) ? others : []);
    return act();
  });
  expect((await project.patch({ domain: "new.test" })).status).toBe(200);
  await vi.waitFor(() => expect(notified).toHaveLength(SERVERS));
  const passedOn = notified.map((others) => others.length);
  expect(SERVERS - sum(passedOn), "calls of the request").toBeLessThanOrEqual(most.request);
  expect(Math.max(...passedOn), "calls of a link").toBeLessThanOrEqual(most.request);

  const turns = countTurns();
  expect((await project.remove("?purge=true")).status).toBe(204);
  await vi.waitFor(() => expect(sum(turns)).toBe(SERVERS), { timeout: 20_000 });
  expect(Math.max(...turns), "calls of the lane").toBeLessThanOrEqual(most.lane);
  for (const agent of agents) await agent.receives("remove_project");
});
