import { describe, expect, it } from "vitest";

import { decideDelete } from "#domain/lane/decide-delete.ts";
import { activeOf, emptyLane, type Lane, liveOf } from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/check-serving.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import { defaultPlan } from "../../support/plan.ts";
import {
  CI,
  accepted,
  DEFAULT_TARGET,
  deployed,
  laneWithCommits,
  laneWithLive,
  report,
  rollBack,
  rolledBack,
  SERVER,
  start,
  offeredOrder,
} from "../../support/lane.ts";

const liveCode = (lane: Lane) => liveOf(lane)?.codeVersion;
const version = (wanted: number) => ({ deploymentId: null, version: wanted });

describe("rolling back", () => {
  it("starts a new deployment of the previous code, which only activates the kept release", () => {
    const lane = accepted(rollBack(laneWithLive(2)));
    expect(activeOf(lane)).toMatchObject({
      version: 3,
      kind: "rollback",
      codeVersion: 1,
      rollbackOf: lane.deployments[0]?.id,
    });
    expect(offeredOrder(lane)).toMatchObject({ reuse_release: 1, preapproved: true });
  });

  it("goes back one more deployment each time, and never returns to newer code", () => {
    const once = rolledBack(laneWithLive(3));
    expect(liveCode(once)).toBe(2);
    const twice = rolledBack(once);
    expect(liveCode(twice)).toBe(1);
    const detail =
      "There is no earlier deployment with other code to roll back to. Name the deployment if a later one is meant.";
    expect(rollBack(twice)).toMatchObject({ ok: false, refusal: { code: "no_rollback_target", detail } });
  });

  it.each([
    ["skips deployments of the live commit", "abb", 1],
    ["takes the newest deployment with another commit", "aabb", 2],
    ["takes an earlier deployment of the live commit if there is no other", "aaa", 2],
  ])("%s", (_name, commits, target) => {
    const lane = laneWithCommits(commits);
    expect(liveCode(rolledBack(lane))).toBe(target);
    const listed = listTargets(lane).filter(({ isDefault }) => isDefault);
    expect(listed.map(({ deployment }) => deployment.version)).toEqual([target]);
  });

  it("never goes forward to another commit", () => {
    expect(liveCode(rolledBack(rolledBack(laneWithCommits("aab"))))).toBe(1);
  });

  it("returns to newer code if its version is named", () => {
    const forward = rolledBack(rolledBack(rolledBack(laneWithLive(3))), version(3));
    expect(liveCode(forward)).toBe(3);
  });

  it("goes back to the previous live deployment after a new deployment", () => {
    const lane = deployed(rolledBack(laneWithLive(3)));
    expect(liveCode(rolledBack(lane))).toBe(2);
  });

  it("names the original deployment as rollback_of if the target is a rollback", () => {
    const lane = deployed(rolledBack(laneWithLive(2)));
    expect(activeOf(accepted(rollBack(lane)))?.rollbackOf).toBe(lane.deployments[0]?.id);
  });

  it("refuses the live deployment, also under the version of its source", () => {
    const lane = rolledBack(laneWithLive(2));
    expect(rollBack(lane, version(3))).toMatchObject({ ok: false, refusal: { code: "already_live" } });
    expect(rollBack(lane, version(1))).toMatchObject({ ok: false, refusal: { code: "already_live" } });
  });

  it("refuses a deployment that never was live, and a rollback without an older deployment", () => {
    const queued = accepted(start(laneWithLive(1)));
    expect(rollBack(queued, version(2))).toMatchObject({
      ok: false,
      refusal: { code: "no_rollback_target" },
    });
    expect(rollBack(queued, version(99))).toMatchObject({
      ok: false,
      refusal: { code: "no_rollback_target" },
    });
    expect(rollBack(laneWithLive(1))).toMatchObject({ ok: false, refusal: { code: "no_rollback_target" } });
    expect(rollBack(emptyLane)).toMatchObject({
      ok: false,
      refusal: { code: "no_rollback_target", detail: "No deployment has been live yet." },
    });
  });

  it("rebuilds the commit if the server no longer has the release", () => {
    const pruned = noteReport(laneWithLive(3), SERVER, report(3, [2, 3]));
    const order = offeredOrder(accepted(rollBack(pruned, version(1))));
    expect(order).toMatchObject({ reuse_release: null, preapproved: false, version: 4 });
    expect(order.source.commit).toMatch(/^[0-9a-f]{40}$/);
    // The agent then builds it even if no branch contains it any longer.
    expect(order.source).toMatchObject({ was_live: true, in_branch: false });
  });

  it("runs no release command, also if the release is built again", () => {
    const plan = { ...defaultPlan, release_command: "make migrate" };
    const kept = laneWithLive(2);
    expect(offeredOrder(accepted(start(kept, 0, { plan }))).release_command).toBe("make migrate");
    for (const lane of [kept, noteReport(kept, SERVER, report(2, [2]))])
      expect(offeredOrder(accepted(rollBack(lane, version(1), 0, { plan }))).release_command).toBeNull();
  });

  it("still works after the source of an earlier rollback was deleted", () => {
    const lane = deployed(rolledBack(laneWithLive(2)));
    const source = lane.deployments[0];
    const deleted = source === undefined ? null : decideDelete(lane, source.id, CI, 0);
    if (deleted?.ok !== true) throw new Error("not deleted");
    expect(liveCode(rolledBack(deleted.value.lane))).toBe(1);
  });
});

describe("the releases to keep on the server", () => {
  it("are the live one and the newest others that were live, each listed once", () => {
    const lane = rolledBack(laneWithLive(7), version(4));
    expect(offeredOrder(accepted(start(lane))).keep_releases).toEqual([4, 7, 6, 5]);
  });
});

describe("the list of rollback targets", () => {
  it("has each release once, newest first, with the default marked", () => {
    const lane = deployed(rolledBack(laneWithLive(3)));
    const targets = listTargets(lane).map(({ deployment, isDefault }) => [deployment.version, isDefault]);
    expect(targets).toEqual([
      [4, true],
      [3, false],
      [1, false],
    ]);
    expect(rollBack(lane, DEFAULT_TARGET)).toMatchObject({ ok: true });
  });
});
