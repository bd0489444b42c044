import { describe, expect, it } from "vitest";

import { decideDeleteProject, keptUntil, refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import { decideProjectRemoved, decideServerDeleted } from "#domain/lane/decide-project-removed.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { pendingRemovals, nextRemovalAt, noteRemovalSent } from "#domain/lane/pending-messages.ts";
import { activeOf, emptyLane, type Lane, onceLiveOf } from "#domain/lane/lane.ts";
import {
  accepted,
  deployed,
  failedEvents,
  laneWithLive,
  OTHER_SERVER,
  offeredOrder,
  PROJECT,
  report,
  reportActive,
  rollBack,
  SERVER,
  start,
} from "../../support/lane.ts";

const HOUR_MS = 3_600_000;

const dueOn = (lane: Lane, now = 0) => pendingRemovals(lane, PROJECT, now).map(({ serverId }) => serverId);

/** Live on SERVER with versions 1 and 2, then with 3 on OTHER_SERVER. */
const moved = () => deployed(laneWithLive(2), 0, OTHER_SERVER);

function deleted(lane: Lane, purge: boolean, now = 0): Lane {
  const decided = decideDeleteProject(lane, { serverId: SERVER, purge }, now);
  if (!decided.ok) throw new Error(decided.refusal.code);
  return decided.value.lane;
}

describe("a project that goes live on another server", () => {
  it("is removed from the previous server, but not before it is live", () => {
    const offered = accepted(start(laneWithLive(2), 0, { serverId: OTHER_SERVER }));
    expect(dueOn(offered)).toEqual([]);
    expect(pendingRemovals(moved(), PROJECT, 0)).toEqual([
      { serverId: SERVER, message: { type: "remove_project", project_id: PROJECT, purge: false } },
    ]);
  });

  it("keeps the releases of each server separately", () => {
    expect(offeredOrder(accepted(start(moved(), 0, { serverId: OTHER_SERVER }))).keep_releases).toEqual([3]);
    expect(offeredOrder(accepted(start(moved(), 0, { serverId: SERVER }))).keep_releases).toEqual([2, 1]);
  });

  it("is rolled back with a build if another server has the release, and with a switch if it was built here since", () => {
    const back = accepted(
      rollBack(moved(), { deploymentId: null, version: 1 }, 0, { serverId: OTHER_SERVER }),
    );
    expect(offeredOrder(back)).toMatchObject({ reuse_release: null, preapproved: false });
    const there = accepted(rollBack(moved(), { deploymentId: null, version: 1 }, 0, { serverId: SERVER }));
    expect(offeredOrder(there)).toMatchObject({ reuse_release: 1, preapproved: true });
  });

  it("is removed from the old server once, and its releases there no longer count", () => {
    const { lane } = decideProjectRemoved(moved(), { serverId: SERVER, purge: false });
    expect(dueOn(lane, HOUR_MS)).toEqual([]);
    const kept = onceLiveOf(lane).filter(({ state }) => state.served.some(({ releaseKept }) => releaseKept));
    expect(kept.map(({ version }) => version)).toEqual([3]);
    expect(dueOn(deployed(lane, 0, OTHER_SERVER))).toEqual([]);
  });

  it("can move back, and an earlier removal message does not remove the live release", () => {
    const started = accepted(start(moved(), 0, { serverId: SERVER }));
    expect(dueOn(started)).toEqual([]);
    const confirmed = decideProjectRemoved(started, { serverId: SERVER, purge: false }).lane;
    const failed = reportActive(confirmed, failedEvents([])).lane;
    expect(dueOn(failed)).toEqual([]);
    expect(dueOn(reportActive(started, failedEvents([1, 2])).lane)).toEqual([SERVER]);
    expect(dueOn(deployed(moved(), 0, SERVER))).toEqual([OTHER_SERVER]);
  });
});

describe("a server that must remove the project", () => {
  it("gets the message again, at growing intervals, until it confirms", () => {
    const told = noteRemovalSent(moved(), SERVER, false, 1000);
    expect(dueOn(told, 1000 + RESEND_MS - 1)).toEqual([]);
    expect(dueOn(told, 1000 + RESEND_MS)).toEqual([SERVER]);
    let lane = told;
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(() => {
      const dueAt = nextRemovalAt(lane) ?? 0;
      lane = noteRemovalSent(lane, SERVER, false, dueAt);
      return (nextRemovalAt(lane) ?? 0) - dueAt;
    });
    expect(waits.slice(0, 3)).toEqual([2, 4, 8].map((times) => times * RESEND_MS));
    expect(waits.at(-1)).toBe(HOUR_MS);
  });

  it("gets no message while it is offline, and one when it connects", () => {
    const kept = noteRemovalSent(moved(), SERVER, true, 0);
    expect(nextRemovalAt(kept)).toBeNull();
    const reconciled = reconcile(kept, { serverId: SERVER, report: report(2, [1, 2]), runIds: [] }, 0);
    expect(reconciled.value.serving).toEqual({ kind: "right" });
    expect(dueOn(reconciled.lane)).toEqual([SERVER]);
  });

  it("gets the message again if it serves a project that is live elsewhere, even after a confirmation", () => {
    const { lane } = decideProjectRemoved(moved(), { serverId: SERVER, purge: false });
    const hello = (release: number | null, releases: number[]) =>
      reconcile(lane, { serverId: SERVER, report: report(release, releases), runIds: [] }, 0).lane;
    expect(dueOn(hello(null, []))).toEqual([]);
    expect(dueOn(hello(1, [1]))).toEqual([SERVER]);
    expect(dueOn(hello(null, [1]))).toEqual([SERVER]);
  });

  it("is never a server without a placement, whatever its agent reports", () => {
    const lane = laneWithLive(1);
    const hello = { serverId: OTHER_SERVER, report: report(1, [1]), runIds: [] };
    expect(reconcile(lane, hello, 0).lane.placements).toEqual(lane.placements);
    expect(decideProjectRemoved(lane, { serverId: OTHER_SERVER, purge: true }).lane).toBe(lane);
    expect(decideProjectRemoved(lane, { serverId: SERVER, purge: true }).lane).toBe(lane);
  });

  it("gets no message after the server was deleted", () => {
    const { lane } = decideServerDeleted(moved(), SERVER);
    expect(dueOn(lane)).toEqual([]);
    expect(lane.placements.map(({ serverId }) => serverId)).toEqual([OTHER_SERVER]);
  });
});

describe("deleting a project", () => {
  it("is refused while a deployment is running or queued, and names it", () => {
    const lane = accepted(start(laneWithLive(1)));
    expect(decideDeleteProject(lane, { serverId: SERVER, purge: false }, 0)).toMatchObject({
      ok: false,
      refusal: { code: "project_busy", detail: expect.stringContaining(activeOf(lane)?.id ?? "?") },
    });
  });

  it("refuses every later start, also after a second delete", () => {
    const lane = deleted(laneWithLive(2), false);
    expect(lane.deployments).toEqual([]);
    expect(refuseIfDeleted(lane)).toMatchObject({ refusal: { code: "not_found" } });
    expect(deleted(lane, false, 5000).deletedAt).toBe(5000);
    expect(refuseIfDeleted(emptyLane)).toBeNull();
  });

  it("with purge sends a message to every server with files, also a server that has removed its releases", () => {
    const left = decideProjectRemoved(moved(), { serverId: SERVER, purge: false }).lane;
    expect(dueOn(deleted(left, false))).toEqual([]);
    expect(pendingRemovals(deleted(left, true), PROJECT, 0)).toMatchObject([
      { serverId: SERVER, message: { purge: true } },
      { serverId: OTHER_SERVER, message: { purge: true } },
    ]);
    expect(dueOn(deleted(deleted(left, false), true))).toHaveLength(2);
    expect(dueOn(deleted(emptyLane, true))).toEqual([SERVER]);
  });

  it("with purge is not confirmed by a server that removed only the releases", () => {
    const lane = deleted(laneWithLive(1), true);
    expect(dueOn(decideProjectRemoved(lane, { serverId: SERVER, purge: false }).lane)).toEqual([SERVER]);
    expect(decideProjectRemoved(lane, { serverId: SERVER, purge: true }).lane.placements).toEqual([]);
  });

  it("without purge still removes the project from a server that it has left, and from no other", () => {
    expect(dueOn(deleted(moved(), false))).toEqual([SERVER]);
  });

  it("keeps the lane for 30 days, and while a server has not confirmed", () => {
    const lane = deleted(laneWithLive(1), true, 1000);
    expect(keptUntil(lane)).toBeNull();
    expect(keptUntil(decideProjectRemoved(lane, { serverId: SERVER, purge: true }).lane)).toBe(
      1000 + 30 * 24 * HOUR_MS,
    );
    expect(keptUntil(laneWithLive(1))).toBeNull();
  });
});
