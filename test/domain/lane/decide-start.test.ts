import { describe, expect, it } from "vitest";

import type { StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import { emptyLane, liveOf, MAX_QUEUED, queuedOf } from "#domain/lane/lane.ts";
import {
  accepted,
  laneWithLive,
  liveEvents,
  offeredOrder,
  reportActive,
  start,
  story,
} from "../../support/lane.ts";

describe("starting a deployment", () => {
  it("offers the first deployment to the agent immediately, as version 1", () => {
    expect(story(accepted(start(emptyLane)))).toBe("1 offered");
  });

  it("orders a cleared cache if the request asks for it, and names the branch whose cache a new branch gets", () => {
    const orderOf = (input: StartDeploymentInput) => {
      return offeredOrder(accepted(start(emptyLane, 0, { input })), emptyLane).cache;
    };
    expect(orderOf({})).toEqual({ clear: false, default_branch: "main" });
    const changed = orderOf({ branch: "next", clear_cache: true });
    expect(changed).toEqual({ clear: true, default_branch: "main" });
  });

  it("queues a second deployment, with the next version", () => {
    expect(story(accepted(start(accepted(start(emptyLane)))))).toBe("1 offered, 2 queued");
  });

  it("offers the next deployment when the previous one has ended", () => {
    const two = accepted(start(accepted(start(emptyLane))));
    expect(story(reportActive(two, liveEvents(1, [1])).lane)).toBe("1 live, 2 offered");
  });

  it("refuses another deployment if a hundred are waiting", () => {
    let lane = accepted(start(emptyLane));
    for (let count = 0; count < MAX_QUEUED; count += 1) lane = accepted(start(lane));
    expect(start(lane)).toMatchObject({ ok: false, refusal: { code: "queue_full" } });
  });

  it("cancels the queued deployments if the project's queue is `latest`, but not the running one", () => {
    const running = reportActive(accepted(start(emptyLane)), [
      { seq: 1, type: "stage", stage: "fetch" },
    ]).lane;
    const two = accepted(start(running));
    expect(story(accepted(start(two, 0, { queue: "latest" })))).toBe("1 running, 2 canceled, 3 queued");
  });

  it("is refused if the deployment in If-Live is no longer live", () => {
    const lane = laneWithLive(2);
    const live = liveOf(lane)?.id ?? null;
    const superseded = lane.deployments[0]?.id ?? null;
    expect(start(lane, 0, { ifLive: superseded })).toMatchObject({
      ok: false,
      refusal: { code: "live_changed" },
    });
    expect(start(lane, 0, { ifLive: live }).ok).toBe(true);
  });

  it("gives each deployment a deadline that includes the time of those ahead of it", () => {
    const lane = accepted(start(accepted(start(accepted(start(emptyLane))))));
    const deadlines = queuedOf(lane).map((one) => one.state.deadlineAt ?? 0);
    expect(deadlines).toEqual(deadlines.toSorted((a, b) => a - b));
    expect(new Set(deadlines).size).toBe(2);
  });
});
