import { describe, expect, it } from "vitest";

import { Rollout } from "#contract/endpoints/projects/servers.ts";
import type { ServerId } from "#contract/ids.ts";
import { liveOf } from "#domain/lane/lane.ts";
import { story } from "../../support/lane.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import { checkRest } from "../../support/model/fleet-checks.ts";
import { firstState, runUntil, settle, started } from "../../support/model/fleet-space.ts";
import { act, connect, cut, type FleetWorld, kill, post, serverOf } from "../../support/model/fleet-world.ts";
import { workingRun } from "../../support/model/model-agent.ts";

const servers = sharedServers(2);
const [first, second] = [serverAt(0), serverAt(1)];

function serverAt(at: number): ServerId {
  const id = servers[at];
  if (id === undefined) throw new Error("no such server");
  return id;
}

/** A project with releases 1 and 2 on both servers, and the start of v3. */
function deploying(rollout: Partial<Rollout> = {}): FleetWorld {
  const asked = { servers, rollout: Rollout.parse(rollout) };
  const { world } = firstState({ ...asked, before: servers, releases: 2, budgets: {} });
  return started(world, asked);
}

const currentOn = (world: FleetWorld, id: ServerId) => serverOf(world, id).agent.current;

function runsOf(world: FleetWorld, id: ServerId) {
  return serverOf(world, id).agent.runs;
}

/** Both servers until the first one has switched, and the second one is about to check its health. */
function untilSecondSwitches(world: FleetWorld): FleetWorld {
  return runUntil(world, (next) => workingRun(serverOf(next, second).agent)?.phase === "switched");
}

/** The second server's release does not answer, and it reports that. */
function secondFails(world: FleetWorld): FleetWorld {
  const failed = act(world, second, false);
  const [run] = runsOf(failed, second);
  if (run === undefined) throw new Error("nothing to report");
  return post(failed, second, run.runId, true);
}

/** Until the newest deployment has ended. */
function untilEnded(world: FleetWorld): FleetWorld {
  return runUntil(world, ({ lane }) => lane.deployments.at(-1)?.state.name !== "active");
}

describe("a server that returns", () => {
  it("gets what is live, if it was away when the others went back", () => {
    const away = cut(untilSecondSwitches(deploying()), first, "cut");
    const failed = untilEnded(secondFails(away));
    expect(story(failed.lane)).toBe("1 superseded, 2 live, 3 failed");
    expect(currentOn(failed, first)).toBe(3);
    const returned = settle(connect(failed, first));
    expect(currentOn(returned, first)).toBe(2);
    checkRest(returned);
  });

  it("keeps what is live, if it had caught up by a deployment that failed on others", () => {
    const rollout = { offline: "skip" } as const;
    const without = runUntil(
      cut(deploying(rollout), first, "cut"),
      ({ lane }) => liveOf(lane)?.version === 3,
    );
    expect(currentOn(without, first)).toBe(2);
    const next = untilSecondSwitches(
      started(connect(without, first), { servers, rollout: Rollout.parse(rollout) }),
    );
    expect(currentOn(next, first)).toBe(4);
    const settled = settle(secondFails(next));
    expect(story(settled.lane)).toBe("1 superseded, 2 superseded, 3 live, 4 failed");
    expect([currentOn(settled, first), currentOn(settled, second)]).toEqual([3, 3]);
    checkRest(settled);
  });

  it("gets what is live, if it has lost the release on which it stopped", () => {
    const stopped = settle(secondFails(untilSecondSwitches(deploying({ on_failure: "stop" }))));
    expect([currentOn(stopped, first), currentOn(stopped, second)]).toEqual([3, 2]);
    const empty = settle(connect(kill(stopped, first, "loses its files"), first));
    expect(currentOn(empty, first)).toBe(2);
    checkRest(empty);
  });

  it("gets what is live, if it has lost its files while another server switched", () => {
    const empty = connect(kill(untilSecondSwitches(deploying()), first, "loses its files"), first);
    const settled = settle(empty);
    expect(story(settled.lane)).toContain("3 live");
    expect(currentOn(settled, first)).toBe(3);
    checkRest(settled);
  });

  it("keeps the release that it serves, if it was lost before it could report that", () => {
    const switched = untilSecondSwitches(deploying({ on_failure: "continue" }));
    const lost = untilEnded(cut(act(switched, second, true), second, "cut"));
    expect(story(lost.lane)).toContain("3 live");
    expect(liveOf(lost.lane)?.state.behind?.length ?? 0).toBe(1);
    const returned = settle(connect(lost, second));
    expect(liveOf(returned.lane)?.state.behind).toEqual([]);
    expect(currentOn(returned, second)).toBe(3);
    checkRest(returned);
  });
});
