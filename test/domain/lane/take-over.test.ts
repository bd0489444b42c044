import { describe, expect, it } from "vitest";

import { decideDeleteProject, keptUntil } from "#domain/lane/decide-delete-project.ts";
import { emptyLane, RESTORABLE_MS } from "#domain/lane/lane.ts";
import { takeOver } from "#domain/lane/take-over.ts";
import { accepted, laneWithLive, rollBack, SERVER, start, story } from "../../support/lane.ts";

const before = laneWithLive(2);
const history = { highestVersion: 2, onceLive: before.deployments };

function deleted(purge: boolean) {
  const decided = decideDeleteProject({ ...before, nextVersion: 8 }, { serverId: SERVER, purge }, 1000);
  if (!decided.ok) throw new Error(decided.refusal.code);
  return decided.value.lane;
}

describe("a lane that takes a project over from the database", () => {
  it("continues after the highest version, and can be rolled back", () => {
    const lane = takeOver(emptyLane, { ...history, highestVersion: 5 });
    expect(accepted(start(lane)).nextVersion).toBe(7);
    expect(story(accepted(rollBack(lane)))).toBe("1 superseded, 2 live, 6 offered");
  });

  it("does not reuse a version from before the deletion", () => {
    expect(takeOver(deleted(false), history)).toMatchObject({ nextVersion: 8, deletedAt: null });
  });

  it("drops pending removals", () => {
    const lane = takeOver(deleted(true), history);
    expect(lane.placements).toEqual([{ serverId: SERVER, state: { name: "in_use" } }]);
  });

  it("is possible for 30 days after the last deletion", () => {
    const again = decideDeleteProject(deleted(false), { serverId: SERVER, purge: false }, 5000);
    expect(again.ok && keptUntil(again.value.lane)).toBe(5000 + RESTORABLE_MS);
  });
});
