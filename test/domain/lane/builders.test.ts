import { describe, expect, it } from "vitest";

import type { Artifact } from "#contract/artifact.ts";
import type { RunEvent } from "#contract/agent-events.ts";
import { Rollout } from "#contract/endpoints/projects/servers.ts";
import type { ServerId } from "#contract/ids.ts";
import { maySendBuild } from "#domain/lane/builders.ts";
import { commitRequests } from "#domain/lane/commit-requests.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideProjectRemoved } from "#domain/lane/decide-project-removed.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { activeOf, emptyLane, type Lane, liveOf, type Plan } from "#domain/lane/lane.ts";
import { noteSent, noteUndelivered, pendingMessages } from "#domain/lane/pending-messages.ts";
import { placementOf } from "#domain/lane/placements.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { currentRuns } from "#domain/lane/runs.ts";
import { unneededBuilds, withLeavingBuild, withoutStoredBuild } from "#domain/lane/stored-builds.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import { accepted, APPROVER, CI, PROJECT, report, rollBack, SHA, start, story } from "../../support/lane.ts";
import { ARTIFACT, type Unnumbered } from "../../support/model/model-agent.ts";
import { defaultPlan } from "../../support/plan.ts";

const [ONE, TWO, THREE, OUTSIDE] = sharedServers(4);
if (ONE === undefined || TWO === undefined || THREE === undefined || OUTSIDE === undefined)
  throw new Error("four servers");

type Builds = { readonly servers: readonly ServerId[]; readonly builder?: ServerId; readonly skip?: true };

function planOf({ servers, builder, skip }: Builds): Plan {
  const rollout = Rollout.parse({ order: "at_once", ...(skip === true ? { offline: "skip" } : {}) });
  const fleet = { servers: servers.map((id) => ({ id, processes: null, cron: false })), rollout };
  return {
    ...defaultPlan,
    release_command: "migrate",
    ...(servers.length === 1 ? {} : { fleet }),
    ...(builder === undefined ? {} : { builder }),
  };
}

const resolved = { type: "resolved", commit_sha: SHA, commit_message: "Change" } as const;
const taken = { ...resolved, commit_message: "" } as const;
const ready = { type: "ready" } as const;
const sent = { type: "artifact", artifact: ARTIFACT } as const;
const built = { type: "result", result: { outcome: "built" }, project: report(null, []) } as const;
const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
const broken = { type: "result", result: { outcome: "failed", failure }, project: report(null, []) } as const;

/** A lane whose agents answer at once, unless a test says otherwise. */
class History {
  lane: Lane = emptyLane;
  now = 0;
  readonly of: Builds;
  readonly #seqs = new Map<string, number>();

  constructor(of: Builds) {
    this.of = of;
  }

  start(changes: Parameters<typeof start>[2] = {}): void {
    const [serverId] = this.of.servers;
    this.lane = accepted(
      start(this.lane, this.now, {
        plan: planOf(this.of),
        ...(serverId === undefined ? {} : { serverId }),
        ...changes,
      }),
    );
  }

  rollBack(version: number): void {
    const [serverId] = this.of.servers;
    const place = serverId === undefined ? {} : { serverId };
    this.lane = accepted(
      rollBack(this.lane, { deploymentId: null, version }, this.now, { plan: planOf(this.of), ...place }),
    );
  }

  /** The orders that are due, by their servers. They arrive, except at servers that are away. */
  orders(away: readonly ServerId[] = []) {
    this.now += 1000;
    const due = pendingMessages(this.lane, PROJECT, this.now);
    for (const { runId, serverId } of due) {
      this.lane = noteSent(this.lane, runId, this.now);
      if (away.includes(serverId)) this.lane = noteUndelivered(this.lane, runId, this.now);
    }
    return new Map(
      due.flatMap(({ serverId, message, sealFor }) =>
        message.type === "run" ? [[serverId, { ...message.order, sealFor }]] : [],
      ),
    );
  }

  reports(serverId: ServerId, ...events: readonly Unnumbered[]) {
    const run = currentRuns(this.lane).findLast((one) => one.serverId === serverId);
    const deployment = activeOf(this.lane) ?? liveOf(this.lane);
    if (run === undefined || deployment === null) throw new Error(`no run on ${serverId}`);
    let seq = this.#seqs.get(run.id) ?? 0;
    const numbered = events.map((event): RunEvent => ({ ...event, seq: (seq += 1) }));
    this.#seqs.set(run.id, seq);
    const decided = decideRunEvents(
      this.lane,
      { deploymentId: deployment.id, runId: run.id, serverId, events: numbered },
      this.now,
    );
    this.lane = decided.lane;
    return decided;
  }

  /** Lets servers that are ready go live, with the releases that they have then. */
  goLive(servers: readonly ServerId[], releases: readonly number[], release = releases.at(-1) ?? 0): void {
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    const result = { outcome: "live", release, evidence } as const;
    for (const id of servers) this.reports(id, { type: "stage", stage: "verify" });
    for (const id of servers)
      this.reports(id, { type: "result", result, project: report(release, [...releases]) });
  }

  /** A whole deployment that the builder makes. */
  deploy(releases: readonly number[], artifact: Artifact = ARTIFACT): void {
    const { servers, builder } = this.of;
    this.start();
    this.orders();
    const events = builder !== undefined && servers.includes(builder) ? [ready] : [built];
    if (builder !== undefined) this.reports(builder, resolved, { ...sent, artifact }, ...events);
    for (let rounds = 0; rounds < 2; rounds += 1)
      for (const [id] of this.orders()) this.reports(id, taken, ready);
    this.goLive(servers, releases);
    expect(liveOf(this.lane)?.version).toBe(releases.at(-1));
  }
}

describe("a project that a server outside of it builds", () => {
  it("gives the others the build and its commit when it is sent, and is live without the builder", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start();
    const first = history.orders();
    expect([...first.keys()]).toEqual([OUTSIDE]);
    expect(first.get(OUTSIDE)).toMatchObject({
      artifact: { type: "make", only: true },
      ...{ release_command: null, sealFor: [ONE, TWO], preapproved: false },
    });
    expect(first.get(OUTSIDE)?.place).toBeUndefined();
    expect(maySendBuild(activeOf(history.lane), OUTSIDE)).toBe(false);
    history.reports(OUTSIDE, resolved);
    expect(maySendBuild(activeOf(history.lane), OUTSIDE)).toBe(true);
    expect(maySendBuild(activeOf(history.lane), ONE)).toBe(false);
    expect([...history.orders().keys()]).toEqual([]);
    history.reports(OUTSIDE, sent, built);
    const second = history.orders();
    // Alone, because it runs the release command.
    expect([...second.keys()]).toEqual([ONE]);
    expect(second.get(ONE)).toMatchObject({
      artifact: { type: "take", artifact: ARTIFACT, required: false },
      source: { commit: SHA },
      release_command: "migrate",
    });
    history.reports(ONE, taken);
    expect(history.orders().get(TWO)).toMatchObject({ artifact: { type: "take" }, release_command: null });
    history.reports(ONE, ready);
    history.reports(TWO, taken, ready);
    history.goLive([ONE, TWO], [1]);
    const live = liveOf(history.lane);
    expect(live?.state.served.map(({ serverId }) => serverId)).toEqual([ONE, TWO]);
    expect(live?.commitMessage).toBe("Change");
    expect(live?.state.runs?.map(({ state }) => state.name)).toEqual(["built", "switched", "switched"]);
    expect(live?.build).toEqual({ artifact: ARTIFACT, builtBy: OUTSIDE, isStored: true });
  });

  it("works for a project with one server", () => {
    const history = new History({ servers: [ONE], builder: OUTSIDE });
    history.start();
    history.orders();
    history.reports(OUTSIDE, resolved, sent, built);
    expect(history.orders().get(ONE)).toMatchObject({ artifact: { type: "take" }, source: { commit: SHA } });
    history.reports(ONE, taken, ready);
    history.goLive([ONE], [1]);
    expect(story(history.lane)).toBe("1 live");
  });

  it("fails with the builder's failure, and names it", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start();
    history.orders();
    history.reports(OUTSIDE, resolved, broken);
    expect(story(history.lane)).toBe("1 failed");
    const [failed] = history.lane.deployments;
    expect(failed?.state).toMatchObject({ failure: { ...failure, server_id: OUTSIDE } });
  });

  it("continues without the builder when its build is sent", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start();
    history.orders();
    history.reports(OUTSIDE, resolved, sent);
    // Its agent was killed, and knows nothing of the run.
    history.lane = reconcile(history.lane, { serverId: OUTSIDE, report: null, runIds: [] }, history.now).lane;
    history.orders();
    history.reports(ONE, taken, ready);
    history.orders();
    history.reports(TWO, taken, ready);
    history.goLive([ONE, TWO], [1]);
    expect(story(history.lane)).toBe("1 live");
  });

  it("fails if the builder's agent makes no build for others, instead of waiting for ever", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start();
    history.orders();
    expect(history.reports(OUTSIDE, resolved, ready).value.instruction).toBe("stop");
    history.reports(OUTSIDE, { type: "result", result: { outcome: "canceled" }, project: report(null, []) });
    expect(history.lane.deployments[0]?.state).toMatchObject({
      name: "failed",
      failure: { server_id: OUTSIDE },
    });
  });

  it("can be canceled while it is built, and not when all servers switch", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start();
    history.orders();
    history.reports(OUTSIDE, resolved);
    const id = activeOf(history.lane)?.id;
    if (id === undefined) throw new Error("nothing is active");
    const canceled = decideCancel(history.lane, id, CI, history.now);
    if (!canceled.ok) throw new Error("refused");
    expect(story(canceled.value.lane)).toBe("1 running/stopped/stopped");
    history.reports(OUTSIDE, sent);
    history.orders();
    history.reports(ONE, taken, ready);
    history.orders();
    history.reports(TWO, taken, ready);
    // One runs the release command, and then all have the permit. The builder has not reported its end yet.
    history.reports(ONE, { type: "stage", stage: "start" });
    expect(decideCancel(history.lane, id, CI, history.now)).toMatchObject({ ok: false });
  });

  it("resolves the commit of an approval on the builder", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start({ approval: "required" });
    expect(commitRequests(history.lane, PROJECT, 0).map(({ serverId }) => serverId)).toEqual([OUTSIDE]);
  });
});

describe("a project that one of its servers builds", () => {
  it("lets it deploy too, after the others have its build", () => {
    const history = new History({ servers: [ONE, TWO], builder: TWO });
    history.start();
    expect(history.orders().get(TWO)).toMatchObject({
      artifact: { type: "make", only: false },
      release_command: null,
      sealFor: [ONE, TWO],
    });
    history.reports(TWO, resolved, sent, ready);
    expect(history.orders().get(ONE)).toMatchObject({
      artifact: { type: "take" },
      release_command: "migrate",
    });
    history.reports(ONE, taken, ready);
    history.goLive([ONE, TWO], [1]);
    expect(story(history.lane)).toBe("1 live");
  });

  it("leaves out a first server that is not connected, and another one runs the release command", () => {
    const history = new History({ servers: [ONE, TWO, THREE], builder: TWO, skip: true });
    history.start();
    history.orders();
    history.reports(TWO, resolved, sent, ready);
    expect([...history.orders([ONE]).keys()]).toEqual([ONE]);
    history.reports(TWO);
    expect(history.orders().get(THREE)).toMatchObject({ release_command: "migrate" });
    history.reports(THREE, taken, ready);
    history.goLive([THREE, TWO], [1]);
    expect(liveOf(history.lane)?.state.served.map(({ serverId }) => serverId)).toEqual([TWO, THREE]);
  });

  it("waits for a builder that is not connected, although others are left out then", () => {
    const history = new History({ servers: [ONE, TWO], builder: ONE, skip: true });
    history.start();
    history.orders([ONE]);
    history.now += 60_000;
    history.lane = reconcile(history.lane, { serverId: TWO, report: null, runIds: [] }, history.now).lane;
    expect(story(history.lane)).toBe("1 offered/waiting");
  });

  it("lets the others build for themselves if its agent makes no build for them", () => {
    const history = new History({ servers: [ONE, TWO], builder: ONE });
    history.start();
    history.orders();
    history.reports(ONE, resolved, ready);
    expect(history.orders().get(TWO)?.artifact).toBeUndefined();
  });
});

describe("a server that leaves a project and builds for it", () => {
  it("removes what it served when the others are live, and not what it builds later", () => {
    const both = new History({ servers: [ONE, TWO], builder: ONE });
    both.deploy([1]);
    const alone = new History({ servers: [TWO], builder: ONE });
    alone.lane = both.lane;
    const left = () => placementOf(alone.lane, ONE)?.state.name;
    alone.deploy([1, 2]);
    expect(left()).toBe("leaving");
    alone.lane = decideProjectRemoved(alone.lane, { serverId: ONE, purge: false }).lane;
    alone.deploy([1, 2, 3]);
    expect(left()).toBe("in_use");
  });
});

describe("a stored build", () => {
  it("is taken by a rollback on a server without the files, and made again when it is removed", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.deploy([1]);
    history.deploy([1, 2], { ...ARTIFACT, sha256: "9".repeat(64) });
    const gone = { serverId: TWO, report: report(2, [2]), runIds: [] };
    history.lane = reconcile(history.lane, gone, history.now).lane;
    const kept = history.lane;
    history.rollBack(1);
    const orders = history.orders();
    expect(orders.get(ONE)).toMatchObject({
      reuse_release: 1,
      artifact: { type: "take", artifact: ARTIFACT },
    });
    history.reports(ONE, ready);
    expect(history.orders().get(TWO)).toMatchObject({ reuse_release: null, artifact: { type: "take" } });

    history.lane = kept.deployments.reduce(withoutStoredBuild, kept);
    history.rollBack(1);
    const again = history.orders();
    expect([...again.keys()]).toEqual([OUTSIDE]);
    expect(again.get(OUTSIDE)).toMatchObject({ artifact: { type: "make" }, source: { commit: SHA } });
  });

  it("is not made again for a rollback if all have the files", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.deploy([1]);
    history.deploy([1, 2]);
    history.lane = history.lane.deployments.reduce(withoutStoredBuild, history.lane);
    history.rollBack(1);
    expect([...history.orders().keys()]).toEqual([ONE]);
  });

  it("is not taken while it is being removed, and stays a build to remove", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.deploy([1]);
    history.deploy([1, 2]);
    history.deploy([1, 2, 3]);
    const [leaving] = unneededBuilds(history.lane);
    if (leaving === undefined) throw new Error("nothing is unneeded");
    const stored = history.lane;
    history.rollBack(1);
    expect(history.orders().get(ONE)?.artifact).toMatchObject({ type: "take" });
    history.lane = withLeavingBuild(stored, leaving);
    history.rollBack(1);
    expect(history.orders().get(ONE)).toMatchObject({ reuse_release: 1 });
    expect(history.orders().get(ONE)?.artifact).toBeUndefined();
    expect(unneededBuilds(history.lane)).toMatchObject([{ version: 1 }]);
  });

  it("stays for the live code and the newest code before it", () => {
    const history = new History({ servers: [ONE], builder: OUTSIDE });
    const versions = () => unneededBuilds(history.lane).map(({ version }) => version);
    history.deploy([1]);
    history.deploy([1, 2]);
    expect(versions()).toEqual([]);
    history.deploy([1, 2, 3]);
    expect(versions()).toEqual([1]);
    history.start();
    history.orders();
    history.reports(OUTSIDE, resolved, sent, built);
    history.orders();
    history.reports(ONE, taken, broken);
    expect(versions()).toEqual([1, 4]);
    const [removed] = unneededBuilds(history.lane);
    if (removed !== undefined) history.lane = withoutStoredBuild(history.lane, removed);
    expect(versions()).toEqual([4]);
    expect(history.lane.deployments[0]?.build).toMatchObject({ isStored: false, builtBy: OUTSIDE });
  });
});

describe("an uploaded build", () => {
  const upload = { input: { commit: SHA, artifact: ARTIFACT } };

  it("must be taken by all servers, and nobody builds", () => {
    const history = new History({ servers: [ONE, TWO], builder: OUTSIDE });
    history.start(upload);
    expect(history.orders().get(ONE)).toMatchObject({
      artifact: { type: "take", required: true },
      source: { commit: SHA },
      release_command: "migrate",
    });
    history.reports(ONE, taken, ready);
    expect(history.orders().get(TWO)).toMatchObject({ artifact: { required: true }, release_command: null });
    history.reports(TWO, taken, ready);
    history.goLive([ONE, TWO], [1]);
    expect(liveOf(history.lane)?.build).toMatchObject({ builtBy: null });
  });

  it("waits for an approval of its commit, which no server resolves", () => {
    const history = new History({ servers: [ONE] });
    history.start({ ...upload, approval: "required" });
    expect(commitRequests(history.lane, PROJECT, 0)).toEqual([]);
    const [waiting] = history.lane.deployments;
    expect(waiting?.state).toMatchObject({ hold: { type: "approval" } });
    if (waiting === undefined) throw new Error("nothing waits");
    const approved = decideApprove(
      history.lane,
      { id: waiting.id, actor: APPROVER, person: null, commit: SHA, until: null },
      1,
    );
    if (!approved.ok) throw new Error(approved.refusal.detail);
    history.lane = approved.value.lane;
    expect(history.orders().get(ONE)).toMatchObject({ source: { commit: SHA } });
  });

  it("cannot come back when neither it nor its files are there: the repository may build another one", () => {
    const history = new History({ servers: [ONE] });
    for (const version of [1, 2]) {
      history.start({ input: { commit: SHA, artifact: { ...ARTIFACT, sha256: `${version}`.repeat(64) } } });
      history.orders();
      history.reports(ONE, taken, ready);
      history.goLive([ONE], [version]);
    }
    const kept = history.lane;
    history.rollBack(1);
    expect(history.orders().get(ONE)).toMatchObject({ reuse_release: null, artifact: { required: true } });
    history.lane = kept.deployments.reduce(withoutStoredBuild, kept);
    history.rollBack(1);
    expect(history.lane.deployments.at(-1)?.state).toMatchObject({
      name: "failed",
      failure: { code: "artifact_unavailable" },
    });
  });
});
