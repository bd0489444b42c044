import { describe, expect, it } from "vitest";

import { DeploymentId } from "#contract/ids.ts";
import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { canaryDeadline } from "#domain/lane/canary.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import type { Effect } from "#domain/lane/decision.ts";
import { activeOf, emptyLane, type Lane, liveOf, type Run } from "#domain/lane/lane.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import { accepted, APPROVER, CI, liveEvents, rollBack, SHA, start } from "../../support/lane.ts";
import { defaultPlan } from "../../support/plan.ts";

const MINUTE = 60_000;
const [first, ...others] = sharedServers(3);
if (first === undefined) throw new Error("no servers");
const plan = {
  ...defaultPlan,
  fleet: {
    servers: [first, ...others].map((id) => ({ id, processes: null, cron: false })),
    rollout: Rollout.parse({ canary: { size: 1, approval: true }, batch: 2 }),
  },
};
const onThree = { serverId: first, plan };

const runsOf = (lane: Lane): readonly Run[] => activeOf(lane)?.state.runs ?? [];
const states = (lane: Lane) =>
  runsOf(lane).map(({ state }) => (state.name === "running" && state.permitted ? "permitted" : state.name));

/** The agent of a run reports its events of this range. */
function report(lane: Lane, at: number, now: number, [from, until]: readonly [number, number]) {
  const active = activeOf(lane);
  const run = runsOf(lane)[at];
  if (active === null || run === undefined) throw new Error("no such run");
  const release = active.reuseRelease ?? active.version;
  const events = liveEvents(release, [1, 2, 3]).slice(from, until);
  const { id: deploymentId } = active;
  return decideRunEvents(lane, { deploymentId, runId: run.id, serverId: run.serverId, events }, now);
}

const READY = [0, 3] as const;
const RESULT = [3, 4] as const;
const CONTACT = [0, 0] as const;

/** What follows when all servers of the active deployment are ready and the first has switched. */
function firstSwitches(started: Lane, now = 0) {
  const ready = [0, 1, 2].reduce((lane, at) => report(lane, at, now, READY).lane, started);
  return report(ready, 0, now, RESULT);
}

const waiting = () => firstSwitches(accepted(start(emptyLane, 0, onThree)));

/** Somebody approves what the first servers serve. @param until when the wait ends that they have seen */
function approve(lane: Lane, { commit = SHA, until }: { commit?: string; until?: number | null } = {}) {
  const active = activeOf(lane);
  if (active === null) throw new Error("nothing is active");
  const seen = until === undefined ? canaryDeadline(active) : until;
  return decideApprove(lane, { id: active.id, actor: APPROVER, person: null, commit, until: seen }, 1);
}

function approved(lane: Lane): Lane {
  const decided = approve(lane);
  if (!decided.ok) throw new Error(decided.refusal.detail);
  return decided.value.lane;
}

const othersSwitch = (lane: Lane) => report(report(lane, 1, 1, RESULT).lane, 2, 1, RESULT).lane;

/** A deployment that was live before all others. */
function earlier(lane: Lane): Lane["deployments"][number] {
  const live = liveOf(lane);
  if (live === null) throw new Error("nothing is live");
  const { startedAt, finishedAt, served } = live.state;
  const state = { name: "superseded", startedAt, finishedAt, served, plan } as const;
  const id = DeploymentId.parse(live.id.replace(/.$/, "0"));
  return { ...live, id, version: 0, codeVersion: 0, commitSha: "f".repeat(40), state };
}

describe("a rollout with an approval after the first servers", () => {
  it("waits when they have switched, and says so once", () => {
    const { lane, effects } = waiting();
    expect(states(lane)).toEqual(["switched", "running", "running"]);
    const isSaid = ({ type }: Effect) => type === "event" || type === "log";
    expect(effects.filter(isSaid)).toMatchObject([
      { message: "Waiting for an approval: 1 of 3 servers has switched" },
      { event: "deployment.held" },
    ]);
    expect(decideDeadlines(lane, 2 * MINUTE)).toEqual({ lane, effects: [] });
  });

  it("continues with the others after the approval, which may come twice", () => {
    const lane = approved(waiting().lane);
    expect(states(lane)).toEqual(["switched", "permitted", "permitted"]);
    expect(activeOf(lane)?.approvedBy).toEqual(APPROVER);
    expect(approve(lane)).toEqual({ ok: true, value: { lane, effects: [] } });
    expect(liveOf(othersSwitch(lane))?.version).toBe(1);
  });

  it("is canceled after an hour without one", () => {
    let { lane } = waiting();
    // The agents of the others ask for their permits meanwhile.
    for (let now = MINUTE; now < 60 * MINUTE; now += 4 * MINUTE)
      lane = report(report(lane, 1, now, CONTACT).lane, 2, now, CONTACT).lane;
    lane = decideDeadlines(lane, 59 * MINUTE).lane;
    expect(activeOf(lane)?.state.verdict).toBe(null);
    const { verdict } = activeOf(decideDeadlines(lane, 60 * MINUTE).lane)?.state ?? {};
    expect(verdict).toMatchObject({
      type: "cancel",
      by: "Gantry, because nobody approved it for 60 min",
    });
  });

  it("can be canceled while it waits, and then not approved", () => {
    const { lane } = waiting();
    const id = activeOf(lane)?.id;
    const canceled = id === undefined ? null : decideCancel(lane, id, CI, 1);
    if (canceled?.ok !== true) throw new Error("it was not canceled");
    expect(approve(canceled.value.lane)).toMatchObject({ refusal: { code: "not_approvable" } });
  });

  it("is not approved with another commit", () => {
    const refused = approve(waiting().lane, { commit: "f".repeat(40) });
    expect(refused).toMatchObject({ refusal: { code: "commit_changed" } });
  });

  it("says what to do if somebody asks for a rollback meanwhile", () => {
    const advice =
      "v2 has switched on its first servers and waits for an approval: approve it, or cancel it to let them go back.";
    const before = othersSwitch(approved(waiting().lane));
    const { lane } = firstSwitches(accepted(start(before, 2, onThree)), 2);
    const refused = rollBack(lane, undefined, 3, onThree);
    expect(refused.ok ? null : refused.refusal.detail).toMatch(/roll back to.* v2 has switched/);
    const live = rollBack(lane, { deploymentId: null, version: 1 }, 3, onThree);
    expect(live).toMatchObject({
      refusal: { code: "already_live", detail: `v1 is already live. ${advice}` },
    });
    const older = { ...lane, deployments: [earlier(lane), ...lane.deployments] };
    const queued = rollBack(older, undefined, 3, onThree);
    expect(queued.ok && queued.value.effects).toContainEqual(expect.objectContaining({ message: advice }));
  });

  it("is not approved by an approval of its start, nor by one of another time", () => {
    const started = start(emptyLane, 0, { ...onThree, approval: "required" });
    const [queued] = accepted(started).deployments;
    if (queued === undefined) throw new Error("nothing is queued");
    const pinned: Lane = {
      ...accepted(started),
      deployments: [{ ...queued, commitSha: SHA, pin: { name: "pinned", sha: SHA } }],
    };
    const ofStart = { id: queued.id, actor: APPROVER, person: null, commit: SHA, until: null };
    const begun = decideApprove(pinned, ofStart, 0);
    if (!begun.ok) throw new Error(begun.refusal.detail);
    const { lane } = firstSwitches(begun.value.lane);
    expect(states(lane)).toEqual(["switched", "running", "running"]);
    // The same request, late or repeated: nobody has looked at the first server.
    expect(decideApprove(lane, ofStart, 1)).toMatchObject({ refusal: { code: "hold_changed" } });
    expect(approve(lane, { until: 1 })).toMatchObject({ refusal: { code: "hold_changed" } });
    expect(states(approved(lane))).toEqual(["switched", "permitted", "permitted"]);
    // An approval of what the first servers serve does not approve the start of a deployment.
    const early = decideApprove(pinned, { ...ofStart, until: 60 * MINUTE }, 0);
    expect(early).toMatchObject({ refusal: { code: "hold_changed" } });
  });

  it("does not hold an emergency or a rollback", () => {
    const live = othersSwitch(approved(waiting().lane));
    const reason = { ...onThree, emergency: "Checkout is down" };
    const emergency = firstSwitches(accepted(start(live, 2, reason)), 2).lane;
    expect(states(emergency)).toEqual(["switched", "permitted", "permitted"]);
    const back = accepted(rollBack(othersSwitch(emergency), undefined, 3, onThree));
    expect(states(firstSwitches(back, 3).lane)).toEqual(["switched", "permitted", "permitted"]);
  });
});
