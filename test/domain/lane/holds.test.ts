import { describe, expect, it } from "vitest";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import { commitRequests, nextCommitRequestAt, noteCommitRequest } from "#domain/lane/commit-requests.ts";
import { type Approval, decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { type CommitResolved, decideCommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import type { RollbackRequest } from "#domain/lane/decide-rollback.ts";
import { nextDeadline, RESEND_MS } from "#domain/lane/deadlines.ts";
import type { StartRequest } from "#domain/lane/decide-start.ts";
import type { Decision } from "#domain/lane/decision.ts";
import {
  activeOf,
  emptyLane,
  isIn,
  type Lane,
  liveOf,
  MAX_QUEUED,
  queuedOf,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { defaultPlan } from "../../support/plan.ts";
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
  firstMessage,
  PROJECT,
  reportActive,
  resolvesTo,
  rollBack,
  SERVER,
  SHA,
  start,
  story,
} from "../../support/lane.ts";

const OTHER_SHA = "f".repeat(40);
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const frozen: ReadFreezes = { sequence: 5, rules: [freezeBetween(0, 10 * HOUR)] };
const inFreeze = { freezes: frozen };
const byAnother = { approval: "by_another" } as const;
const changedPlan = { ...defaultPlan, activate_command: "changed" };

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

function approved(lane: Lane, version: number, now: number, actor = APPROVER): Lane {
  const decided = decideApprove(
    lane,
    { id: idOf(lane, version), actor, person: null, commit: null, until: null },
    now,
  );
  if (!decided.ok) throw new Error(decided.refusal.detail);
  return decided.value.lane;
}

/** The code of the refusal of an approval; null: it is accepted. */
function refusalOf(
  lane: Lane,
  version: number,
  {
    actor = APPROVER,
    person = null,
    commit = null,
  }: Partial<Pick<Approval, "actor" | "person" | "commit">> = {},
) {
  const decided = decideApprove(lane, { id: idOf(lane, version), actor, person, commit, until: null }, 0);
  return decided.ok ? null : decided.refusal.code;
}

const STARTER: Actor = { type: "token", id: "tok_ci", name: "ci" };

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
    const lane = accepted(
      start(accepted(apply(first.value.lane, HOUR, { ...inFreeze, plan: changedPlan })), HOUR, inFreeze),
    );
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

  it("keeps the mode `latest`: a new deployment replaces a held deployment", () => {
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
      "The freeze launch does not hold what was live before",
      "Passes v3, which is held. It runs afterwards, unless it is canceled",
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

  it("gives the deployments that it passes its server, settings and variables, so that they don't undo later changes", () => {
    const waiting = accepted(start(laneWithLive(2), HOUR, byAnother));
    const plan = { ...defaultPlan, keep_releases: 9 };
    const variables = { revision: 7, notSealed: [] };
    const rolled = accepted(
      rollBack(waiting, DEFAULT_TARGET, HOUR, { serverId: OTHER_SERVER, plan, variables }),
    );
    expect(queuedOf(rolled)).toMatchObject([
      { version: 3, serverId: OTHER_SERVER, variables: { revision: 7, deployed: false }, state: { plan } },
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

describe("a restart or a change of scale", () => {
  const scaled = { ...defaultPlan, processes: { web: { instances: 3 } } };
  const scale = { plan: scaled, onlyScale: true };
  const restart = { restart: ["web"] };
  const orderOf = (lane: Lane) => {
    const message = firstMessage(lane, PROJECT, HOUR)?.message;
    return message?.type === "run" ? message.order : null;
  };

  it.each([
    ["a restart", restart, {}],
    ["a change of instances", scale, scaled.processes],
    ["the same settings again", {}, {}],
    ["a change of instances that is applied", { plan: scaled }, scaled.processes],
  ])("passes a freeze, an approval and what they hold: %s", (_name, changes, processes) => {
    const held = accepted(start(laneWithLive(1), HOUR, { ...inFreeze, ...byAnother }));
    const lane = accepted(apply(held, HOUR, { ...inFreeze, ...byAnother, ...changes }));
    expect([activeOf(lane)?.version, queue(lane)]).toEqual([3, "2 commit"]);
    expect(orderOf(lane)).toMatchObject({ processes, restart: "restart" in changes ? ["web"] : [] });
    expect(refusalOf(lane, 3)).toBe("not_approvable");
  });

  it("says what it passes", () => {
    const held = accepted(start(laneWithLive(1), HOUR, inFreeze));
    const decided = apply(held, HOUR, { ...inFreeze, ...restart });
    expect(decided.ok && logOf(decided.value)).toEqual([
      "Queued as v3 by ci: restart of web",
      "The freeze launch does not hold restarts and changes of scale",
      "Passes v2, which is held. It runs afterwards, unless it is canceled",
    ]);
  });

  it.each([
    ["a restart", restart],
    ["a change of instances", scale],
  ])("leaves out what was saved since, and waits for nothing: %s", (_name, changes) => {
    const plan = {
      ...scaled,
      activate_command: "printenv",
      processes: { web: { command: "evil", instances: 3 } },
    };
    const asked = {
      ...byAnother,
      ...changes,
      plan,
      serverId: OTHER_SERVER,
      variables: { revision: 7, notSealed: [] },
    };
    const decided = apply(laneWithLive(1), HOUR, asked);
    if (!decided.ok) throw new Error("refused");
    expect(activeOf(decided.value.lane)).toMatchObject({
      serverId: SERVER,
      variables: { revision: 0, deployed: true },
    });
    expect(orderOf(decided.value.lane)).toMatchObject({
      activate_command: null,
      processes: { web: { instances: 3 } },
    });
    expect(logOf(decided.value).slice(1)).toEqual([
      "Runs with what is live, without the changes of server_id, activate_command, processes.web.command, variables. `gantry apply` applies them",
      "Restarts and changes of scale need no approval",
    ]);
  });

  it("applies what was saved since if nothing is held", () => {
    const lane = accepted(apply(laneWithLive(1), HOUR, { ...restart, plan: changedPlan }));
    expect(orderOf(lane)).toMatchObject({ activate_command: "changed" });
  });

  it("leaves it out also behind a deployment that is held, if nothing holds the restart itself", () => {
    const held = accepted(start(laneWithLive(1), HOUR, byAnother));
    const lane = accepted(apply(held, HOUR, { ...restart, plan: changedPlan }));
    expect(orderOf(lane)).toMatchObject({ version: 3, activate_command: null });
    const applied = accepted(apply(held, HOUR, { plan: changedPlan }));
    expect([activeOf(applied), queue(applied)]).toEqual([null, "2 commit, 3"]);
  });

  it("is not undone by a deployment that it passes, also by an approved one", () => {
    const waiting = waitingForApproval(HOUR, inFreeze);
    const lane = accepted(apply(approved(waiting, 2, HOUR), HOUR, { ...inFreeze, ...scale }));
    expect(queuedOf(lane)).toMatchObject([
      { version: 2, state: { plan: { ...defaultPlan, processes: scaled.processes } } },
    ]);
  });

  it("waits behind the first deployment, and where the live settings are not known", () => {
    const first = accepted(
      apply(accepted(start(emptyLane, HOUR, inFreeze)), HOUR, { ...inFreeze, ...restart }),
    );
    expect([activeOf(first), queue(first)]).toEqual([null, "1 freeze, 2"]);
    const live = laneWithLive(1);
    const [one] = live.deployments;
    if (one === undefined || !isIn(one, "live")) throw new Error("not live");
    const unknown = replaceDeployment(live, { ...one, state: { ...one.state, plan: null } });
    expect(queue(accepted(apply(unknown, HOUR, { ...inFreeze, ...restart })))).toBe("2 freeze");
  });

  it("waits with what it changes, if it is an `apply`", () => {
    const decided = apply(laneWithLive(1), HOUR, { ...byAnother, plan: changedPlan });
    if (!decided.ok) throw new Error("refused");
    expect(queuedOf(decided.value.lane)).toMatchObject([
      { state: { hold: { type: "approval", differs: ["activate_command"] } } },
    ]);
    expect(logOf(decided.value)[1]).toBe(
      "Waiting for an approval, because it changes more than the code: activate_command",
    );
  });
});

describe("an emergency", () => {
  const emergency = "Checkout is down";
  const asked = { ...inFreeze, ...byAnother, emergency, plan: changedPlan };

  it("passes freezes, approvals and what they hold, with its own event and without a pin", () => {
    const held = accepted(start(laneWithLive(1), HOUR, { ...inFreeze, ...byAnother }));
    const decided = start(held, HOUR, asked);
    if (!decided.ok) throw new Error("refused");
    const { lane } = decided.value;
    expect(activeOf(lane)).toMatchObject({ version: 3, emergency, pin: { name: "none" } });
    expect([queue(lane), refusalOf(lane, 3)]).toEqual(["2 commit", "not_approvable"]);
    expect(eventsOf(decided.value)).toEqual(["deployment.started 3", "deployment.emergency 3"]);
    expect(logOf(decided.value)).toEqual([
      "Queued as v3 by ci: branch main",
      "Emergency, passes freezes and approvals: Checkout is down",
      "Passes v2, which is held. It runs afterwards, unless it is canceled",
    ]);
  });

  it("leaves the commit that others have approved, and what they wait for", () => {
    const waiting = approved(waitingForApproval(HOUR, inFreeze), 2, HOUR);
    const lane = accepted(start(waiting, HOUR, asked));
    expect(queuedOf(lane)).toMatchObject([
      {
        version: 2,
        commitSha: SHA,
        pin: { name: "pinned", sha: SHA },
        state: { plan: { activate_command: null } },
      },
    ]);
    const ended = reportActive(lane, liveEvents(3, [1, 3]), HOUR).lane;
    expect(queue(ended)).toBe("2 freeze");
  });

  it.each([
    [
      "a rollback to current settings",
      (lane: Lane) =>
        rollBack(lane, DEFAULT_TARGET, HOUR, {
          ...asked,
          runWith: { settings: "current", variables: "current" },
        }),
    ],
    ["an apply", (lane: Lane) => apply(lane, HOUR, asked)],
    [
      "a restart with what was saved since",
      (lane: Lane) => apply(lane, HOUR, { ...asked, restart: ["web"] }),
    ],
  ])("is also %s", (_name, request) => {
    const lane = accepted(request(laneWithLive(2)));
    expect(activeOf(lane)).toMatchObject({
      version: 3,
      emergency,
      state: { plan: { activate_command: "changed" } },
    });
  });
});

/** A lane with a live v1, and a v2 whose commit is known and that waits for an approval. */
const waitingForApproval = (now = 0, changes = {}) =>
  resolvesTo(accepted(start(laneWithLive(1), now, { ...byAnother, ...changes })), 2, now).lane;

describe("an approval", () => {
  it("is awaited at the head of the queue, and offers the deployment", () => {
    const lane = approved(waitingForApproval(), 2, HOUR);
    expect(story(lane)).toBe("1 live, 2 offered");
    expect(lane.deployments.at(-1)?.approvedBy).toEqual(APPROVER);
    expect(approved(lane, 2, HOUR)).toBe(lane);
  });

  it("can be given in advance, and not by who started the deployment", () => {
    const running = resolvesTo(accepted(start(accepted(start(laneWithLive(1))), 0, byAnother)), 3).lane;
    expect(refusalOf(running, 3, { actor: STARTER })).toBe("own_deployment");
    const lane = approved(running, 3, 0);
    expect(story(reportActive(lane, failedEvents([1])).lane)).toBe("1 live, 2 failed, 3 offered");
    const required = waitingForApproval(0, { approval: "required" });
    expect(approved(required, 2, 0, STARTER)).not.toBe(required);
  });

  it("is refused where none is needed, and after the end", () => {
    const lane = accepted(start(laneWithLive(1)));
    expect([refusalOf(lane, 1), refusalOf(lane, 2)]).toEqual(["not_approvable", "not_approvable"]);
    const waiting = waitingForApproval();
    const canceled = decideCancel(waiting, idOf(waiting, 2), CI, 0);
    if (!canceled.ok) throw new Error("refused");
    expect(refusalOf(canceled.value.lane, 2)).toBe("not_approvable");
  });

  it("counts by the project's rule at the start, in both directions", () => {
    const without = accepted(start(accepted(start(laneWithLive(1))), 0, byAnother));
    const lane = resolvesTo(accepted(start(without)), 3).lane;
    const ended = reportActive(lane, failedEvents([1])).lane;
    expect(queue(ended)).toBe("3 approval, 4");
  });

  it("that nobody gives for 7 days cancels the deployment, and the next one comes to the head", () => {
    const lane = resolvesTo(accepted(start(waitingForApproval(), DAY, byAnother)), 3).lane;
    expect(nextDeadline(lane)).toBe(7 * DAY);
    const after = decideDeadlines(lane, 7 * DAY);
    expect(eventsOf(after)).toEqual(["deployment.canceled 2", "deployment.held 3"]);
    expect(logOf(after)[0]).toBe("Canceled by Gantry, because nobody approved it for 7 days");
    // Its own 7 days begin when it comes to the head.
    expect(nextDeadline(after.lane)).toBe(14 * DAY);
  });

  it("comes before a freeze, which then holds the deployment", () => {
    const waiting = waitingForApproval(HOUR, inFreeze);
    expect(queue(waiting)).toBe("2 approval");
    const lane = approved(waiting, 2, 2 * HOUR);
    expect([queue(lane), nextDeadline(lane)]).toEqual(["2 freeze", 10 * HOUR]);
  });
});

describe("the commit of an approval", () => {
  it("is resolved first, then shown with the hold", () => {
    const first = start(laneWithLive(1), 0, byAnother);
    if (!first.ok) throw new Error("refused");
    const { lane } = first.value;
    expect([queue(lane), refusalOf(lane, 2)]).toEqual(["2 commit", "commit_unknown"]);
    expect(eventsOf(first.value)).toEqual(["deployment.started 2"]);
    const resolved = resolvesTo(lane, 2, HOUR);
    expect(queue(resolved.lane)).toBe("2 approval");
    expect(logOf(resolved)).toEqual([`The commit is ${SHA}`, "Waiting for an approval"]);
    expect(resolved.effects.at(-1)).toMatchObject({
      event: "deployment.held",
      deployment: { commitSha: SHA, commitMessage: "Change" },
    });
    // The time counts from its start.
    expect(nextDeadline(resolved.lane)).toBe(7 * DAY);
  });

  it("is asked for until an answer came, also behind others, and again when the agent connects", () => {
    const asked = (of: Lane, now: number) =>
      commitRequests(of, PROJECT, now).map(({ message }) => message.deployment_id);
    const lane = accepted(start(accepted(start(laneWithLive(1))), 0, byAnother));
    const id = idOf(lane, 3);
    expect(asked(lane, 0)).toEqual([id]);
    const sent = noteCommitRequest(lane, id, false, 0);
    expect([asked(sent, RESEND_MS - 1), asked(sent, RESEND_MS)]).toEqual([[], [id]]);
    const twice = noteCommitRequest(sent, id, false, RESEND_MS);
    expect(nextCommitRequestAt(twice)).toBe(3 * RESEND_MS);
    const lost = noteCommitRequest(sent, id, true, 0);
    expect([asked(lost, DAY), nextCommitRequestAt(lost)]).toEqual([[], null]);
    const connected = reconcile(lost, { serverId: SERVER, report: null, runIds: [] }, DAY).lane;
    expect(asked(connected, DAY)).toEqual([id]);
    expect(asked(resolvesTo(connected, 3).lane, DAY)).toEqual([]);
  });

  it("comes from the first answer, from the server and the repository that were asked", () => {
    const lane = accepted(start(laneWithLive(1), 0, byAnother));
    const answer = (changes: Partial<CommitResolved>) =>
      decideCommitResolved(
        lane,
        {
          ...{ deploymentId: idOf(lane, 2), serverId: SERVER, repository: defaultPlan.repository },
          result: { ok: true, commit_sha: SHA, commit_message: "Change" },
          ...changes,
        },
        0,
      ).lane;
    expect(answer({ serverId: OTHER_SERVER })).toBe(lane);
    expect(answer({ repository: "/srv/git/other.git" })).toBe(lane);
    const pinned = answer({});
    expect(resolvesTo(pinned, 2, 0, OTHER_SHA).lane).toBe(pinned);
    const ended = approved(pinned, 2, 0);
    expect(resolvesTo(ended, 2, 0, OTHER_SHA).lane).toBe(ended);
  });

  it("that the server cannot deploy fails the deployment, as its run would", () => {
    const lane = accepted(start(accepted(start(laneWithLive(1), 0, byAnother)), 0, byAnother));
    const failure = { code: "ref_not_found", message: "there is no branch `x`", stage: "fetch" } as const;
    const decided = decideCommitResolved(
      lane,
      {
        ...{ deploymentId: idOf(lane, 2), serverId: SERVER, repository: defaultPlan.repository },
        result: { ok: false, failure },
      },
      0,
    );
    expect([story(decided.lane), queue(decided.lane)]).toEqual(["1 live, 2 failed, 3 queued", "3 commit"]);
  });

  it("that no server resolves cancels the deployment after 7 days", () => {
    const lane = accepted(start(laneWithLive(1), 0, byAnother));
    const after = decideDeadlines(lane, 7 * DAY);
    expect(logOf(after)[0]).toBe(
      "Canceled by Gantry, because its server did not resolve its commit for 7 days",
    );
  });

  it("must be the commit that the approver names in full, because an abbreviated hash can be forged", () => {
    const lane = waitingForApproval();
    const codes = [SHA, SHA.toUpperCase(), OTHER_SHA, SHA.slice(0, 39)].map((commit) =>
      refusalOf(lane, 2, { commit }),
    );
    expect(codes).toEqual([null, null, "commit_changed", "commit_changed"]);
  });

  it("is compared again in a repeated approval, whose answer would otherwise name another commit", () => {
    const lane = approved(waitingForApproval(HOUR, inFreeze), 2, HOUR);
    const codes = [null, SHA, OTHER_SHA].map((commit) => refusalOf(lane, 2, { commit }));
    expect(codes).toEqual([null, null, "commit_changed"]);
    // Settings apply to the code that is live at their turn, so their commit may have changed since.
    const settings = approved(accepted(apply(laneWithLive(1), 0, { ...byAnother, plan: changedPlan })), 2, 0);
    expect(refusalOf(settings, 2, { commit: OTHER_SHA })).toBe(null);
  });

  it("is what the order names, as the tip of its branch unless the request named it", () => {
    const source = (changes: Partial<StartRequest>) => {
      const waiting = resolvesTo(accepted(start(laneWithLive(1), 0, { ...byAnother, ...changes })), 2).lane;
      const message = firstMessage(approved(waiting, 2, 0), PROJECT, 0)?.message;
      return message?.type === "run" ? message.order.source : null;
    };
    expect(source({})).toMatchObject({ commit: SHA, in_branch: true, was_tip: true });
    const named = source({ input: { commit: SHA.slice(0, 8) } });
    expect(named).toMatchObject({ commit: SHA, in_branch: false });
    expect(named).not.toHaveProperty("was_tip");
  });

  it("is the only commit that may be activated", () => {
    const lane = approved(waitingForApproval(), 2, 0);
    const events = liveEvents(2, [1, 2], OTHER_SHA);
    const [fetch, resolved, ready] = events;
    if (fetch === undefined || resolved === undefined || ready === undefined) throw new Error("no events");
    const refused = reportActive(lane, [fetch, resolved, ready]);
    expect(refused.value.instruction).toBe("stop");
    expect(story(reportActive(lane, events).lane)).toBe("1 live, 2 failed");
    expect(activeOf(refused.lane)?.commitSha).toBe(SHA);
    const silent = reportActive(lane, [fetch, { ...ready, seq: 2 }]);
    expect(silent.value.instruction).toBe("stop");
    // It asked for the permit with the approved commit, and switched to another.
    const honest = liveEvents(2, [1, 2]).slice(0, 3);
    const permitted = reportActive(lane, honest);
    expect(permitted.value.instruction).toBe("activate");
    expect(story(reportActive(permitted.lane, events.slice(3)).lane)).toBe("1 live, 2 failed");
    expect(story(reportActive(permitted.lane, liveEvents(2, [1, 2]).slice(3)).lane)).toBe(
      "1 superseded, 2 live",
    );
  });

  it("is not needed for settings, whose code was live", () => {
    const lane = accepted(apply(laneWithLive(1), 0, { ...byAnother, plan: changedPlan }));
    expect(queue(lane)).toBe("2 approval");
    expect(refusalOf(lane, 2, { commit: OTHER_SHA })).toBe("commit_changed");
    expect(refusalOf(lane, 2, { commit: SHA })).toBe(null);
  });

  it("is resolved again when a rollback brings another repository or server to a deployment that it passes", () => {
    const plan = { ...defaultPlan, repository: "/srv/git/other.git" };
    const first = accepted(start(laneWithLive(2), 0, byAnother));
    const pinned = resolvesTo(first, 3).lane;
    const rolledBack = (lane: Lane, changes: Partial<RollbackRequest>) =>
      queuedOf(accepted(rollBack(lane, DEFAULT_TARGET, 0, changes)))[0];
    expect(rolledBack(pinned, { plan })).toMatchObject({ commitSha: null, pin: { name: "unknown" } });
    expect(rolledBack(pinned, { serverId: OTHER_SERVER })).toMatchObject({ pin: { name: "pinned" } });
    const asked = noteCommitRequest(first, idOf(first, 3), false, 0);
    expect(rolledBack(asked, { serverId: OTHER_SERVER })).toMatchObject({ pin: { lastSend: null } });
  });

  it("is announced again when it is another one, also if it was resolved during the rollback", () => {
    const plan = { ...defaultPlan, repository: "/srv/git/other.git" };
    const pinned = resolvesTo(accepted(start(laneWithLive(2), 0, byAnother)), 3).lane;
    const passing = accepted(rollBack(pinned, DEFAULT_TARGET, 0, { plan }));
    expect(queue(passing)).toBe("3 commit");
    const answer = {
      ...{ deploymentId: idOf(passing, 3), serverId: SERVER, repository: plan.repository },
      result: { ok: true, commit_sha: OTHER_SHA, commit_message: "Other" },
    } as const;
    const resolved = decideCommitResolved(passing, answer, 0).lane;
    const ended = reportActive(resolved, liveEvents(1, [1, 2]));
    expect([queue(ended.lane), eventsOf(ended)]).toEqual([
      "3 approval",
      expect.arrayContaining(["deployment.held 3"]),
    ]);
  });
});
