import { describe, expect, it } from "vitest";

import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { activeOf, type Lane, LaneDeployment, liveOf, MAX_QUEUED, queuedOf } from "#domain/lane/lane.ts";
import {
  accepted,
  APPROVER,
  apply,
  CI,
  DEFAULT_TARGET,
  failedEvents,
  freezeBetween,
  laneWithLive,
  liveEvents,
  OTHER_SERVER,
  reportActive,
  rollBack,
  start,
  story,
} from "../../support/lane.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const frozen: ReadFreezes = { sequence: 5, rules: [freezeBetween(0, 10 * HOUR)] };
const inFreeze = { freezes: frozen };
const byAnother = { approval: "by_another" } as const;

/** Versions of the queue with what holds them, such as "3 freeze, 4". */
const queue = (lane: Lane) =>
  queuedOf(lane)
    .map(({ version, state }) => `${version}${state.hold === null ? "" : ` ${state.hold.type}`}`)
    .join(", ");

const idOf = (lane: Lane, version: number) => {
  const found = lane.deployments.find((one) => one.version === version);
  if (found === undefined) throw new Error(`no version ${version}`);
  return found.id;
};

function approved(lane: Lane, version: number, now: number, by = APPROVER): Lane {
  const decided = decideApprove(lane, idOf(lane, version), by, now);
  if (!decided.ok) throw new Error(decided.refusal.detail);
  return decided.value.lane;
}

const eventsOf = ({ effects }: Decision) =>
  effects.flatMap((effect) =>
    effect.type === "event" ? [`${effect.event} ${effect.deployment.version}`] : [],
  );
const logOf = ({ effects }: Decision) =>
  effects.flatMap((effect) => (effect.type === "log" ? [effect.message] : []));

describe("a freeze", () => {
  it("holds the head of the queue and what is behind it, without a deadline, and ends at its time", () => {
    const first = start(laneWithLive(1), HOUR, inFreeze);
    if (!first.ok) throw new Error("refused");
    expect(eventsOf(first.value)).toEqual(["deployment.started 2", "deployment.held 2"]);
    expect(logOf(first.value)[1]).toBe("Held by the freeze launch until 1970-01-01T10:00:00.000Z");
    const lane = accepted(start(accepted(apply(first.value.lane, HOUR, inFreeze)), HOUR, inFreeze));
    expect([activeOf(lane), queue(lane)]).toEqual([null, "2 freeze, 3, 4"]);
    expect(queuedOf(lane).map(({ state }) => state.deadlineAt)).toEqual([null, null, null]);
    expect(nextDeadline(lane)).toBe(10 * HOUR);
    expect(decideDeadlines(lane, 10 * HOUR - 1)).toMatchObject({ effects: [] });
    const after = decideDeadlines(lane, 10 * HOUR);
    expect(story(after.lane)).toBe("1 live, 2 offered, 3 queued, 4 queued");
    const deadlines = queuedOf(after.lane).map(({ state }) => state.deadlineAt ?? 0);
    expect(deadlines.toSorted((a, b) => a - b)).toEqual(deadlines);
    expect(deadlines[0]).toBeGreaterThan(10 * HOUR);
  });

  it("does not stop what runs, and holds the next one when that has ended", () => {
    const running = accepted(start(accepted(start(laneWithLive(1)))));
    const told = decideFreezes(running, frozen, null, 1);
    expect(story(told.lane)).toBe("1 live, 2 offered, 3 queued");
    const ended = reportActive(told.lane, failedEvents([1]), HOUR);
    expect(queue(ended.lane)).toBe("3 freeze");
    expect(eventsOf(ended)).toContain("deployment.held 3");
  });

  it("that is created, changed or deleted reaches deployments that wait", () => {
    const held = accepted(start(laneWithLive(1), HOUR, inFreeze));
    const longer = { sequence: 6, rules: [...frozen.rules, freezeBetween(9 * HOUR, 20 * HOUR, "holidays")] };
    const changed = decideFreezes(held, longer, null, HOUR);
    expect(changed.effects).toEqual([]);
    expect(nextDeadline(changed.lane)).toBe(20 * HOUR);
    const deleted = decideFreezes(changed.lane, { sequence: 7, rules: [] }, null, HOUR);
    expect(story(deleted.lane)).toBe("1 live, 2 offered");
    expect(logOf(deleted)).toEqual(["The freeze has ended"]);
  });

  it("is not forgotten for an older reading, except for one of a database that was restored", () => {
    const held = accepted(start(laneWithLive(1), HOUR, inFreeze));
    const old: ReadFreezes = { sequence: 4, rules: [] };
    expect(queue(accepted(start(held, HOUR, { freezes: old })))).toBe("2 freeze, 3");
    expect(queue(decideFreezes(held, old, null, HOUR).lane)).toBe("2 freeze");
    // The lane got another reading while the database was read.
    expect(queue(decideFreezes(held, old, 3, HOUR).lane)).toBe("2 freeze");
    expect(queue(decideFreezes(held, old, 5, HOUR).lane)).toBe("");
  });

  it("keeps the mode `latest`: a new deployment takes the place of one that is held", () => {
    const held = accepted(start(laneWithLive(1), HOUR, inFreeze));
    const newer = start(held, HOUR, { ...inFreeze, queue: "latest" });
    if (!newer.ok) throw new Error("refused");
    expect(queue(newer.value.lane)).toBe("3 freeze");
    expect(eventsOf(newer.value)).toEqual([
      "deployment.canceled 2",
      "deployment.started 3",
      "deployment.held 3",
    ]);
  });

  it("lets the next one come to the head when the held one is canceled", () => {
    const two = accepted(start(accepted(start(laneWithLive(1), HOUR, inFreeze)), HOUR, inFreeze));
    const canceled = decideCancel(two, idOf(two, 2), CI, HOUR);
    if (!canceled.ok) throw new Error("refused");
    expect(queue(canceled.value.lane)).toBe("3 freeze");
  });
});

describe("a rollback", () => {
  it("passes a freeze and the deployments that it holds, which run after it", () => {
    const held = accepted(start(accepted(start(laneWithLive(2), HOUR, inFreeze)), HOUR, inFreeze));
    const rolled = rollBack(held, DEFAULT_TARGET, HOUR, inFreeze);
    if (!rolled.ok) throw new Error("refused");
    expect(story(rolled.value.lane)).toBe("1 superseded, 2 live, 3 queued, 4 queued, 5 offered");
    expect(queue(rolled.value.lane)).toBe("3 freeze, 4");
    expect(logOf(rolled.value)).toEqual([
      "Queued as v5 by ci: rollback to the code of v1",
      "The freeze launch does not hold rollbacks",
      "Passes v3, which is held",
    ]);
    const back = reportActive(rolled.value.lane, liveEvents(1, [1, 2]), HOUR).lane;
    expect([liveOf(back)?.version, queue(back)]).toEqual([5, "3 freeze, 4"]);
    expect(story(decideDeadlines(back, 10 * HOUR).lane)).toMatch(/3 offered, 4 queued, 5 live$/);
  });

  it("passes them also after it has waited for what ran", () => {
    const running = accepted(start(accepted(start(laneWithLive(2)))));
    const rolled = accepted(rollBack(running, DEFAULT_TARGET, 1, inFreeze));
    const ended = reportActive(rolled, failedEvents([1, 2]), HOUR).lane;
    expect(story(ended)).toMatch(/4 queued, 5 offered$/);
  });

  it("gives those that it passes its server, settings and variables, so that they don't undo what came later", () => {
    const held = accepted(start(laneWithLive(2), HOUR, inFreeze));
    const rolled = accepted(
      rollBack(held, DEFAULT_TARGET, HOUR, {
        ...inFreeze,
        serverId: OTHER_SERVER,
        variables: { revision: 7, notSealed: [] },
      }),
    );
    expect(queuedOf(rolled)).toMatchObject([
      { version: 3, serverId: OTHER_SERVER, variables: { revision: 7, deployed: false } },
    ]);
  });

  it("gives the next ones a deadline again, if the held one is canceled while it runs", () => {
    const held = accepted(start(accepted(start(laneWithLive(2), HOUR, inFreeze)), HOUR, inFreeze));
    const rolled = accepted(rollBack(held, DEFAULT_TARGET, HOUR, inFreeze));
    const canceled = decideCancel(rolled, idOf(rolled, 3), CI, HOUR);
    if (!canceled.ok) throw new Error("refused");
    expect(queuedOf(canceled.value.lane).map(({ state }) => state.deadlineAt)).not.toContain(null);
  });

  it("passes a full queue too", () => {
    let lane = laneWithLive(2);
    for (let count = 0; count < MAX_QUEUED; count += 1) lane = accepted(start(lane, HOUR, inFreeze));
    expect(start(lane, HOUR, inFreeze)).toMatchObject({ refusal: { code: "queue_full" } });
    expect(activeOf(accepted(rollBack(lane, DEFAULT_TARGET, HOUR, inFreeze)))?.kind).toBe("rollback");
  });

  it("needs no approval", () => {
    const lane = accepted(rollBack(laneWithLive(2), DEFAULT_TARGET, 0, byAnother));
    expect(story(lane)).toBe("1 superseded, 2 live, 3 offered");
  });
});

describe("an approval", () => {
  it("is awaited at the head of the queue, and offers the deployment", () => {
    const waiting = start(laneWithLive(1), 0, byAnother);
    if (!waiting.ok) throw new Error("refused");
    expect([queue(waiting.value.lane), logOf(waiting.value)[1]]).toEqual([
      "2 approval",
      "Waiting for an approval",
    ]);
    const lane = approved(waiting.value.lane, 2, HOUR);
    expect(story(lane)).toBe("1 live, 2 offered");
    expect(lane.deployments.at(-1)?.approvedBy).toEqual(APPROVER);
    expect(approved(lane, 2, HOUR)).toBe(lane);
  });

  it("can be given in advance, and not by who started the deployment", () => {
    const running = accepted(start(accepted(start(laneWithLive(1))), 0, byAnother));
    const own = decideApprove(running, idOf(running, 3), { type: "token", id: "tok_ci", name: "ci" }, 0);
    expect(own).toMatchObject({ ok: false, refusal: { code: "own_deployment" } });
    const lane = approved(running, 3, 0);
    expect(story(reportActive(lane, failedEvents([1])).lane)).toBe("1 live, 2 failed, 3 offered");
    const required = accepted(start(laneWithLive(1), 0, { approval: "required" }));
    expect(approved(required, 2, 0, { type: "token", id: "tok_ci", name: "ci" })).not.toBe(required);
  });

  it("is refused where none is needed, and after the end", () => {
    const lane = accepted(start(laneWithLive(1)));
    const code = (of: Lane, version: number) => {
      const decided = decideApprove(of, idOf(of, version), APPROVER, 0);
      return decided.ok ? null : decided.refusal.code;
    };
    expect([code(lane, 1), code(lane, 2)]).toEqual(["not_approvable", "not_approvable"]);
    const waiting = accepted(start(laneWithLive(1), 0, byAnother));
    const canceled = decideCancel(waiting, idOf(waiting, 2), CI, 0);
    if (!canceled.ok) throw new Error("refused");
    expect(code(canceled.value.lane, 2)).toBe("not_approvable");
  });

  it("counts by the project's rule at the start, in both directions", () => {
    const without = accepted(start(accepted(start(laneWithLive(1))), 0, byAnother));
    const lane = accepted(start(without));
    const ended = reportActive(lane, failedEvents([1])).lane;
    expect(queue(ended)).toBe("3 approval, 4");
  });

  it("that nobody gives for 7 days cancels the deployment, and the next one comes to the head", () => {
    const lane = accepted(start(accepted(start(laneWithLive(1), 0, byAnother)), DAY, byAnother));
    expect(nextDeadline(lane)).toBe(7 * DAY);
    const after = decideDeadlines(lane, 7 * DAY);
    expect(eventsOf(after)).toEqual(["deployment.canceled 2", "deployment.held 3"]);
    expect(logOf(after)[0]).toBe("Canceled by Gantry, because nobody approved it for 7 days");
    // Its own 7 days begin when it comes to the head.
    expect(nextDeadline(after.lane)).toBe(14 * DAY);
  });

  it("comes before a freeze, which then holds the deployment", () => {
    const waiting = accepted(start(laneWithLive(1), HOUR, { ...byAnother, ...inFreeze }));
    expect(queue(waiting)).toBe("2 approval");
    const lane = approved(waiting, 2, 2 * HOUR);
    expect([queue(lane), nextDeadline(lane)]).toEqual(["2 freeze", 10 * HOUR]);
  });
});

describe("a lane of an earlier version", () => {
  it("has nothing that is held", () => {
    const [one] = queuedOf(accepted(start(accepted(start(laneWithLive(1))))));
    if (one === undefined) throw new Error("nothing is queued");
    const { approval: _rule, approvedBy: _by, state, ...rest } = one;
    const { hold: _hold, ...queued } = state;
    const stored: unknown = JSON.parse(JSON.stringify({ ...rest, state: queued }));
    expect(LaneDeployment.parse(stored)).toEqual(one);
  });
});
