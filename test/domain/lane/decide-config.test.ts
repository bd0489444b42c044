import { describe, expect, it } from "vitest";

import { changesText } from "#contract/endpoints/deployments/changes-text.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { noteReport } from "#domain/lane/check-serving.ts";
import { activeOf, emptyLane, type Lane, liveOf, MAX_REMEMBERED } from "#domain/lane/lane.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import { discardable } from "#domain/lane/transitions.ts";
import {
  CI,
  accepted,
  applied,
  apply,
  deployed,
  failedEvents,
  laneWithLive,
  liveEvents,
  OTHER_SERVER,
  report,
  reportActive,
  rollBack,
  rolledBack,
  SERVER,
  start,
  story,
  offeredOrder,
} from "../../support/lane.ts";
import { defaultPlan } from "../../support/plan.ts";

const liveCode = (lane: Lane) => liveOf(lane)?.codeVersion;
const commit = liveOf(laneWithLive(1))?.commitSha;

describe("applying settings to the live code", () => {
  it("activates the live release again with the current settings, without a build and without the release command", () => {
    const plan = { ...defaultPlan, release_command: "migrate", processes: { web: { instances: 3 } } };
    const lane = accepted(apply(laneWithLive(2), 0, { plan, restart: ["web"] }));
    expect(activeOf(lane)).toMatchObject({ version: 3, kind: "config", codeVersion: 2, rollbackOf: null });
    expect(offeredOrder(lane)).toMatchObject({
      reuse_release: 2,
      preapproved: true,
      release_command: null,
      processes: { web: { instances: 3 } },
      restart: ["web"],
      source: { commit, was_live: true },
    });
  });

  it("says what it changes, compared with what is live when its turn comes", () => {
    const scaled = (instances: number) => ({ ...defaultPlan, processes: { web: { instances } } });
    const [first, second] = [{ plan: scaled(2) }, { plan: scaled(3), restart: ["worker"] }];
    const active = (lane: Lane) => changesText(activeOf(lane)?.changes ?? null);
    const queued = accepted(apply(accepted(apply(laneWithLive(2), 0, first)), 0, second));
    expect(active(queued)).toBe("web 1 → 2");
    expect(changesText(queued.deployments.at(-1)?.changes ?? null)).toBe("restart of worker, web 1 → 3");
    const next = reportActive(queued, liveEvents(3, [1, 2, 3])).lane;
    expect(active(next)).toBe("restart of worker, web 2 → 3");
  });

  it.each([
    [{ processes: { web: { stopped: true } } }, { repositoryInstances: { web: 4 } }, "web stopped"],
    [{ processes: { web: { instances: 2 } } }, { repositoryInstances: { web: 4 } }, "web 4 → 2"],
    [{ domain: "new.example" }, {}, "domain shop.localhost → new.example"],
    [{ shared_paths: ["data"] }, {}, "shared_paths"],
    [{}, {}, "no changes"],
  ])("says that it changes %j", (changed, request, text) => {
    const plan = { ...defaultPlan, ...changed };
    const lane = accepted(apply(laneWithLive(1), 0, { plan, ...request }));
    expect(changesText(activeOf(lane)?.changes ?? null)).toBe(text);
  });

  it("names the revisions of the variables", () => {
    const variables = [{ setting: "variables", before: "7", after: "8" }];
    expect(changesText(variables)).toBe("variables r7 → r8");
  });

  it("deploys the code that is live when its turn comes, and undoes nothing that was started before it", () => {
    const queued = accepted(apply(accepted(start(laneWithLive(2)))));
    expect(story(queued)).toBe("1 superseded, 2 live, 3 offered, 4 queued");
    const offered = reportActive(queued, liveEvents(3, [1, 2, 3])).lane;
    expect(offeredOrder(offered)).toMatchObject({ version: 4, reuse_release: 3, preapproved: true });
    expect(liveCode(reportActive(offered, liveEvents(3, [1, 2, 3])).lane)).toBe(3);
  });

  it("deploys the code that stays live if the deployment before it fails", () => {
    const queued = accepted(apply(accepted(start(laneWithLive(2)))));
    const offered = reportActive(queued, failedEvents([1, 2])).lane;
    expect(offeredOrder(offered)).toMatchObject({ version: 4, reuse_release: 2 });
  });

  it("follows a rollback that was started before it", () => {
    const queued = accepted(apply(accepted(rollBack(laneWithLive(2)))));
    const offered = reportActive(queued, liveEvents(1, [1, 2])).lane;
    expect(activeOf(offered)).toMatchObject({ version: 4, codeVersion: 1, reuseRelease: 1 });
  });

  it("is refused if nothing is live and nothing can become live", () => {
    const refusal = { ok: false, refusal: { code: "not_live" } };
    expect(apply(emptyLane)).toMatchObject(refusal);
    const failed = reportActive(accepted(start(emptyLane)), failedEvents([])).lane;
    expect(apply(failed)).toMatchObject(refusal);
    const started = accepted(start(emptyLane));
    const running = reportActive(started, [{ seq: 1, type: "stage", stage: "build" }]).lane;
    const id = activeOf(running)?.id;
    const stopping = id === undefined ? null : decideCancel(running, id, CI, 0);
    expect(stopping?.ok && apply(stopping.value.lane)).toMatchObject(refusal);
  });

  it("waits for the first deployment, and fails if the first does not go live, without holding up the next", () => {
    const first = accepted(start(emptyLane));
    const waiting = accepted(start(accepted(apply(accepted(apply(first)), 0, { restart: ["web"] }))));
    expect(story(waiting)).toBe("1 offered, 2 queued, 3 queued, 4 queued");
    const { lane, effects } = reportActive(waiting, failedEvents([]));
    expect(story(lane)).toBe("1 failed, 2 failed, 3 failed, 4 offered");
    expect(lane.deployments[1]?.state).toMatchObject({ failure: { code: "not_live", stage: "queued" } });
    const ended = effects.flatMap((one) => (one.type === "ended" ? [one.deploymentId] : []));
    expect(ended).toEqual(lane.deployments.slice(0, 3).map(({ id }) => id));
    expect(story(reportActive(waiting, liveEvents(1, [1])).lane)).toBe(
      "1 live, 2 offered, 3 queued, 4 queued",
    );
  });

  it("cancels no queued deployment, and is not canceled by a newer one, if only the latest shall run", () => {
    const busy = accepted(start(accepted(start(laneWithLive(1)))));
    const both = accepted(apply(busy, 0, { queue: "latest" }));
    expect(story(both)).toBe("1 live, 2 offered, 3 queued, 4 queued");
    const latest = accepted(start(both, 0, { queue: "latest" }));
    expect(story(latest)).toBe("1 live, 2 offered, 3 canceled, 4 queued, 5 queued");
  });

  it("builds the live commit again if the server no longer has its files, or is another one", () => {
    const lost = noteReport(laneWithLive(2), SERVER, report(null, []));
    const built = { reuse_release: null, preapproved: false, source: { commit, was_live: true } };
    expect(offeredOrder(accepted(apply(lost)))).toMatchObject(built);
    const moved = accepted(apply(laneWithLive(2), 0, { serverId: OTHER_SERVER }));
    expect(offeredOrder(moved)).toMatchObject(built);
  });

  it("starts one deployment if the same settings are applied twice, but restarts twice", () => {
    const busy = accepted(start(laneWithLive(1)));
    const plan = { ...defaultPlan, processes: { web: { instances: 2 } } };
    const once = accepted(apply(busy, 0, { plan }));
    const again = apply(once, 5, { plan: structuredClone(plan) });
    expect(again.ok && again.value).toMatchObject({ value: { version: 3 }, effects: [] });
    expect(accepted(again)).toBe(once);
    expect(story(accepted(apply(once, 5)))).toBe("1 live, 2 offered, 3 queued, 4 queued");
    const restarted = accepted(apply(once, 5, { plan, restart: ["web"] }));
    const twice = accepted(apply(restarted, 6, { plan, restart: ["web"] }));
    expect(story(accepted(apply(twice, 7, { plan })))).toBe(
      "1 live, 2 offered, 3 queued, 4 queued, 5 queued, 6 queued",
    );
  });

  it("can be canceled while it is queued", () => {
    const queued = accepted(apply(accepted(start(laneWithLive(1)))));
    const id = queued.deployments[2]?.id;
    const canceled = id === undefined ? null : decideCancel(queued, id, CI, 0);
    expect(canceled?.ok && story(canceled.value.lane)).toBe("1 live, 2 offered, 3 canceled");
  });
});

describe("a rollback after settings were applied", () => {
  it("goes back to the same code as without them, and names the deployment that built it", () => {
    const lane = applied(deployed(applied(laneWithLive(2))));
    expect(story(lane)).toBe("1 superseded, 2 superseded, 3 superseded, 4 superseded, 5 live");
    const back = accepted(rollBack(lane));
    expect(activeOf(back)).toMatchObject({ codeVersion: 2, rollbackOf: lane.deployments[1]?.id });
    const codes = listTargets(lane).map(({ deployment }) => deployment.codeVersion);
    expect(codes).toEqual([2, 1]);
  });

  it("does not count them as newer code", () => {
    const once = applied(rolledBack(laneWithLive(3)));
    expect(liveCode(rolledBack(once))).toBe(1);
  });

  it("finds the code of deployments that many changes of settings followed", () => {
    let lane = laneWithLive(2);
    for (let count = 0; count < MAX_REMEMBERED + 5; count += 1) lane = applied(lane);
    const gone = new Set(discardable(lane));
    expect([...gone].map(({ version }) => version)).toEqual([3, 4, 5, 6]);
    const kept = { ...lane, deployments: lane.deployments.filter((one) => !gone.has(one)) };
    expect(activeOf(accepted(rollBack(kept)))).toMatchObject({ codeVersion: 1, reuseRelease: 1 });
  });
});
