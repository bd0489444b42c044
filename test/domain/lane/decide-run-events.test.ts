import { describe, expect, it } from "vitest";

import { DeploymentId } from "#contract/ids.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { reconcile, type AgentHello } from "#domain/lane/reconcile.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { nextDeadline, SERVER_LOST_MS } from "#domain/lane/deadlines.ts";
import { noteSent, noteUndelivered } from "#domain/lane/pending-messages.ts";
import { activeOf, emptyLane, type Lane } from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/check-serving.ts";
import {
  CI,
  accepted,
  failedEvents,
  laneWithLive,
  liveEvents,
  OTHER_SERVER,
  firstMessage,
  PROJECT,
  report,
  reportActive,
  rollBack,
  SERVER,
  start,
  story,
} from "../../support/lane.ts";

function active(lane: Lane) {
  const found = activeOf(lane);
  if (found === null) throw new Error("nothing is active");
  return found;
}
const activeId = (lane: Lane) => active(lane).id;
const runIdOf = (lane: Lane) => active(lane).runId;

const running = (lane: Lane, now = 0) =>
  reportActive(accepted(start(lane, now)), [{ seq: 1, type: "stage", stage: "fetch" }], now).lane;

function canceled(lane: Lane, now = 0): Lane {
  const decided = decideCancel(lane, activeId(lane), CI, now);
  if (!decided.ok) throw new Error(decided.refusal.code);
  return decided.value.lane;
}

describe("an agent's report", () => {
  it("makes the deployment live and supersedes the previous one", () => {
    expect(story(laneWithLive(2))).toBe("1 superseded, 2 live");
  });

  it("applies each event once if a batch arrives twice", () => {
    const first = reportActive(accepted(start(emptyLane)), liveEvents(1, [1]).slice(0, 3));
    const again = reportActive(first.lane, liveEvents(1, [1]).slice(0, 3));
    expect(again.effects).toEqual([]);
    expect(again.value).toEqual({ acked_seq: 3, instruction: "activate" });
  });

  it("stops at a gap, and acknowledges only the events before it", () => {
    const events = liveEvents(1, [1]).filter((event) => event.seq !== 2);
    expect(reportActive(accepted(start(emptyLane)), events).value).toEqual({
      acked_seq: 1,
      instruction: "continue",
    });
  });

  it("gives the permit on request, and again if the answer was lost", () => {
    const ready = liveEvents(1, [1]).slice(0, 3);
    const first = reportActive(accepted(start(emptyLane)), ready);
    expect(first.value.instruction).toBe("activate");
    expect(reportActive(first.lane, []).value.instruction).toBe("activate");
  });

  it("fails a deployment that went live without a permit", () => {
    const events = liveEvents(1, [1]).filter((event) => event.type !== "ready");
    const renumbered = events.map((event, index) => ({ ...event, seq: index + 1 }));
    expect(story(reportActive(accepted(start(emptyLane)), renumbered).lane)).toBe("1 failed");
  });

  it("keeps the live deployment if the new one fails", () => {
    const lane = accepted(start(laneWithLive(1)));
    expect(story(reportActive(lane, failedEvents([1])).lane)).toBe("1 live, 2 failed");
  });

  it("gets the instruction `ended` if the deployment has ended without it", () => {
    const offered = accepted(start(emptyLane));
    const { id: deploymentId, runId } = activeOf(offered) ?? {};
    if (deploymentId === undefined || runId === undefined) throw new Error("nothing is offered");
    const reported = { deploymentId, runId, serverId: SERVER, events: liveEvents(1, [1]) };
    expect(decideRunEvents(canceled(offered), reported, 0)).toMatchObject({
      value: { acked_seq: 4, instruction: "ended" },
      effects: [],
    });
  });

  it("from another server gets the answer for an unknown run, and changes nothing", () => {
    const offered = accepted(start(emptyLane));
    const { id: deploymentId, runId } = activeOf(offered) ?? {};
    if (deploymentId === undefined || runId === undefined) throw new Error("nothing is offered");
    const reported = { deploymentId, runId, serverId: OTHER_SERVER, events: liveEvents(1, [1]) };
    const answer = decideRunEvents(offered, reported, 0);
    const nobodys = { ...reported, deploymentId: DeploymentId.parse(`dpl_${"0".repeat(26)}`) };
    expect(answer).toEqual(decideRunEvents(offered, nobodys, 0));
    expect(answer).toMatchObject({ lane: offered, effects: [] });
  });
});

describe("canceling", () => {
  it("ends a waiting deployment immediately", () => {
    expect(story(canceled(accepted(start(emptyLane))))).toBe("1 canceled");
  });

  it("waits for the agent's confirmation during a run, and starts the next deployment after it", () => {
    const stopping = canceled(accepted(start(running(emptyLane))));
    expect(story(stopping)).toBe("1 running, 2 queued");
    expect(reportActive(stopping, []).value.instruction).toBe("stop");
    const confirmed = reportActive(stopping, [
      { seq: 2, type: "result", result: { outcome: "canceled" }, project: report(null, []) },
    ]);
    expect(story(confirmed.lane)).toBe("1 canceled, 2 offered");
  });

  it("is refused after the permit was given, also for a preapproved rollback", () => {
    const permitted = reportActive(running(emptyLane), [{ seq: 2, type: "ready" }]).lane;
    expect(decideCancel(permitted, activeId(permitted), CI, 0)).toMatchObject({
      ok: false,
      refusal: { code: "not_cancelable" },
    });
    const offered = accepted(rollBack(laneWithLive(2)));
    const sent = noteSent(offered, runIdOf(offered), 0);
    expect(decideCancel(sent, activeId(sent), CI, 0)).toMatchObject({ ok: false });
    const kept = noteUndelivered(sent, runIdOf(sent), 0);
    expect(decideCancel(kept, activeId(kept), CI, 0)).toMatchObject({ ok: true });
  });

  describe("a rollback whose permit may have arrived", () => {
    const offered = accepted(rollBack(laneWithLive(2)));
    const id = runIdOf(offered);
    const sent = noteSent(offered, id, 0);
    const isRefused = (lane: Lane) => {
      expect(decideCancel(lane, activeId(offered), CI, 30_000)).toMatchObject({
        refusal: { code: "not_cancelable" },
      });
      expect(decideDelete(lane, activeId(offered), CI, 30_000)).toMatchObject({
        refusal: { code: "deployment_activating" },
      });
    };
    const sendHello = (lane: Lane, hello: Partial<AgentHello>) =>
      reconcile(lane, { serverId: SERVER, report: null, runIds: [], ...hello }, 0).lane;

    it("is refused after a resend that was not delivered", () => {
      const resent = noteSent(sent, id, 20_000);
      isRefused(noteUndelivered(resent, id, 20_000));
      const again = noteSent(noteUndelivered(resent, id, 20_000), id, 40_000);
      isRefused(noteUndelivered(again, id, 40_000));
    });

    it("is refused after every kind of hello", () => {
      isRefused(sendHello(sent, {}));
      isRefused(sendHello(sent, { runIds: offered.deployments.map(({ runId }) => runId) }));
    });

    it("is refused after the agent named the run, although the order was reported as undelivered", () => {
      const named = sendHello(noteUndelivered(sent, id, 0), {
        report: report(2, [1, 2]),
        runIds: offered.deployments.map(({ runId }) => runId),
      });
      isRefused(noteUndelivered(noteSent(named, id, 0), id, 0));
    });

    it("is refused although the server no longer has the release and a later order has no permit", () => {
      const gone = noteReport(sent, SERVER, { releases: [2] });
      isRefused(gone);
      isRefused(noteUndelivered(noteSent(gone, id, 20_000), id, 20_000));
      expect(reportActive(gone, []).value.instruction).toBe("activate");
    });
  });

  it("is possible for a rollback whose order had no permit, although the server has the release again", () => {
    const gone = noteReport(accepted(rollBack(laneWithLive(2))), SERVER, { releases: [2] });
    const back = noteReport(noteSent(gone, runIdOf(gone), 0), SERVER, { releases: [1, 2] });
    expect(decideCancel(back, activeId(back), CI, 0)).toMatchObject({ ok: true });
    expect(reportActive(back, []).value.instruction).toBe("continue");
  });

  it("never gives the permit to a run that is stopping", () => {
    const stopping = canceled(running(emptyLane));
    expect(reportActive(stopping, [{ seq: 2, type: "ready" }]).value.instruction).toBe("stop");
  });
});

describe("deleting", () => {
  it("refuses the live deployment and a deployment that is being activated", () => {
    const live = laneWithLive(1);
    expect(decideDelete(live, live.deployments[0]?.id ?? activeId(live), CI, 0)).toMatchObject({
      ok: false,
      refusal: { code: "deployment_live" },
    });
    const permitted = reportActive(running(live), [{ seq: 2, type: "ready" }]).lane;
    expect(decideDelete(permitted, activeId(permitted), CI, 0)).toMatchObject({
      ok: false,
      refusal: { code: "deployment_activating" },
    });
  });

  it("keeps a running deployment in the lane until the agent has confirmed the stop", () => {
    const lane = running(emptyLane);
    const deleted = decideDelete(lane, activeId(lane), CI, 0);
    if (!deleted.ok) throw new Error("refused");
    expect(story(deleted.value.lane)).toBe("1 running");
    const confirmed = reportActive(deleted.value.lane, [
      { seq: 2, type: "result", result: { outcome: "canceled" }, project: report(null, []) },
    ]);
    expect(story(confirmed.lane)).toBe("");
    expect(confirmed.lane.nextVersion).toBe(2);
  });

  it("is refused with not_found the second time", () => {
    const lane = running(emptyLane);
    const deleted = decideDelete(lane, activeId(lane), CI, 0);
    if (!deleted.ok) throw new Error("refused");
    expect(decideDelete(deleted.value.lane, activeId(lane), CI, 0)).toMatchObject({
      ok: false,
      refusal: { code: "not_found" },
    });
  });
});

describe("a deadline", () => {
  it("fails a deployment with server_offline if no agent accepts it", () => {
    const lane = accepted(start(emptyLane));
    expect(story(decideDeadlines(lane, 899_999).lane)).toBe("1 offered");
    expect(decideDeadlines(lane, 900_000).lane.deployments[0]?.state).toMatchObject({
      name: "failed",
      failure: { code: "server_offline" },
    });
  });

  it("fails a run with server_lost after five minutes without contact, and starts the next deployment", () => {
    const lane = accepted(start(running(emptyLane)));
    const lost = decideDeadlines(lane, SERVER_LOST_MS).lane;
    expect(story(lost)).toBe("1 failed, 2 offered");
    expect(lost.deployments[0]?.state).toMatchObject({ failure: { code: "server_lost" } });
  });

  it("stops a run that exceeds its timeout, and fails it with timed_out if the agent does not confirm", () => {
    const lane = running(emptyLane);
    const heard = reportActive(lane, [], 650_000).lane;
    const overrun = decideDeadlines(heard, 660_000).lane;
    expect(firstMessage(overrun, PROJECT, 660_000)?.message).toMatchObject({ type: "stop" });
    const ended = decideDeadlines(
      overrun,
      nextDeadline(noteSent(overrun, runIdOf(overrun), 900_000)) ?? 0,
    ).lane;
    expect(ended.deployments[0]?.state).toMatchObject({ name: "failed", failure: { code: "timed_out" } });
  });
});

describe("a deadline that passed while the control plane was away", () => {
  const HOUR_MS = 60 * 60_000;
  const MINUTE_MS = 60_000;

  it("leaves the agent two minutes to report the run, which continues", () => {
    const lane = accepted(start(running(emptyLane)));
    const back = decideDeadlines(lane, HOUR_MS).lane;
    expect(story(back)).toBe("1 running, 2 queued");
    expect(nextDeadline(back)).toBe(HOUR_MS + 2 * MINUTE_MS);
    const completed = reportActive(back, liveEvents(1, [1]).slice(1), HOUR_MS + MINUTE_MS).lane;
    expect(story(completed)).toBe("1 live, 2 offered");
  });

  it("ends a run whose agent does not report within that time", () => {
    const back = decideDeadlines(running(emptyLane), HOUR_MS).lane;
    const lost = decideDeadlines(back, HOUR_MS + 2 * MINUTE_MS).lane;
    expect(lost.deployments[0]?.state).toMatchObject({ name: "failed", failure: { code: "server_lost" } });
  });

  it("leaves the agent as long to accept an offer", () => {
    const offered = accepted(start(emptyLane));
    const back = decideDeadlines(offered, HOUR_MS).lane;
    expect(story(back)).toBe("1 offered");
    expect(story(decideDeadlines(back, HOUR_MS + 2 * MINUTE_MS).lane)).toBe("1 failed");
  });
});

describe("an agent that connects", () => {
  const sendHello = (lane: Lane, changes: Partial<Parameters<typeof reconcile>[1]>) =>
    reconcile(lane, { serverId: SERVER, report: null, runIds: [], ...changes }, 0);

  it("gets a missed offer again", () => {
    const offered = accepted(start(emptyLane));
    const told = noteUndelivered(offered, runIdOf(offered), 0);
    expect(firstMessage(told, PROJECT, 0)).toBeNull();
    expect(firstMessage(sendHello(told, {}).lane, PROJECT, 0)?.message).toMatchObject({ type: "run" });
  });

  it("fails a run that it no longer knows with server_lost", () => {
    expect(sendHello(running(emptyLane), {}).lane.deployments[0]?.state).toMatchObject({
      name: "failed",
      failure: { code: "server_lost" },
    });
  });

  it("continues a run that it still knows", () => {
    const lane = running(emptyLane);
    const { runId } = activeOf(lane) ?? {};
    expect(story(sendHello(lane, { runIds: runId === undefined ? [] : [runId] }).lane)).toBe("1 running");
  });

  it("ends a run as canceled if it no longer knows it and a cancel was requested", () => {
    const lane = running(emptyLane);
    const decided = decideCancel(lane, activeId(lane), CI, 0);
    if (!decided.ok) throw new Error(decided.refusal.code);
    expect(story(sendHello(decided.value.lane, {}).lane)).toBe("1 canceled");
  });

  it("must correct the release if it serves another one than the live one", () => {
    expect(sendHello(laneWithLive(2), { report: report(1, [1, 2]) }).value).toEqual({
      serving: { kind: "correct_release", release: 2 },
    });
    expect(sendHello(laneWithLive(2), { report: report(2, [1, 2]) }).value).toEqual({
      serving: { kind: "right" },
    });
    expect(sendHello(laneWithLive(2), { report: report(1, [1]) }).value).toEqual({
      serving: { kind: "right" },
    });
  });
});
