import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { MAX_PROCESSES, type ProcessSettings } from "#contract/endpoints/processes/schemas.ts";
import { keptSettings, settingUses } from "#contract/endpoints/projects/project-settings.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import {
  activeOf,
  emptyLane,
  type Lane,
  LaneDeployment,
  liveOf,
  onceLiveOf,
  type Plan,
  queuedOf,
} from "#domain/lane/lane.ts";
import { earlierPlan, planDifferences } from "#domain/lane/plan-differences.ts";
import { previewRollback } from "#domain/lane/preview-rollback.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import { takeOver } from "#domain/lane/take-over.ts";
import { everySetting } from "../../support/every-setting.ts";
import { defaultPlan } from "../../support/plan.ts";
import {
  accepted,
  APPROVER,
  asked,
  CI,
  DEFAULT_TARGET,
  failedEvents,
  freezeBetween,
  laneWithLive,
  liveEvents,
  OTHER_SERVER,
  reportActive,
  resolvesTo,
  rollBack,
  SERVER,
  start,
  story,
} from "../../support/lane.ts";

const HOUR = 60 * 60_000;
const frozen = { sequence: 5, rules: [freezeBetween(0, 10 * HOUR)] };
const inFreeze = { freezes: frozen };
const byAnother = { approval: "by_another" } as const;
const holds = [
  ["an approval", byAnother, "approval"],
  ["a freeze", inFreeze, "freeze"],
] as const;

const revision = (number: number) => ({ variables: { revision: number, notSealed: [] } });
const open = { settings: null, variables: null };
const current = { settings: "current", variables: "current" } as const;
const deployed = { settings: "deployed", variables: "deployed" } as const;

const withCommand = (activate_command: string, changes: Partial<Plan> = {}): Plan => ({
  ...defaultPlan,
  activate_command,
  ...changes,
});

/** v1 and then v2 were live with these plans and revisions of the variables. */
function laneWithPlans(...plans: readonly (readonly [Plan, number])[]): Lane {
  return plans.reduce<Lane>((lane, [plan, number]) => {
    const { nextVersion } = lane;
    const sha = String(nextVersion).padStart(40, "a");
    const kept = Array.from({ length: nextVersion }, (_, at) => at + 1);
    const started = accepted(start(lane, 0, { plan, ...revision(number) }));
    return reportActive(started, liveEvents(nextVersion, kept, sha)).lane;
  }, emptyLane);
}

const lane = laneWithPlans([withCommand("first"), 1], [withCommand("second"), 2]);
/** The settings that are not live yet. */
const today = { plan: withCommand("new"), ...revision(3) };

type Changes = NonNullable<Parameters<typeof rollBack>[3]>;

function rolled(from: Lane, changes: Changes, now = HOUR) {
  const decided = rollBack(from, DEFAULT_TARGET, now, changes);
  if (!decided.ok) throw new Error(decided.refusal.detail);
  return decided.value;
}

const logOf = ({ effects }: ReturnType<typeof rolled>) =>
  effects.flatMap((effect) => (effect.type === "log" ? [effect.message] : []));

/** What the active deployment runs with: its command, its revision and its server. */
function runsWith(of: Lane) {
  const active = activeOf(of);
  if (active === null) return null;
  return [active.state.plan.activate_command, active.variables?.revision ?? 0, active.serverId];
}

describe.each(holds)("a rollback under %s", (_what, hold, type) => {
  it("carries no new command, variable or server, and does not wait", () => {
    const decided = rolled(lane, { ...hold, ...today, serverId: OTHER_SERVER });
    expect(runsWith(decided.lane)).toEqual(["first", 2, SERVER]);
    expect(logOf(decided)[1]).toBe(
      "Runs with the settings of v1 and the variables that are live, without the changes of server_id, activate_command, variables",
    );
  });

  it("keeps the current settings if only the variables differ", () => {
    const decided = rolled(lane, { ...hold, plan: withCommand("second"), ...revision(3) });
    expect(runsWith(decided.lane)).toEqual(["second", 2, SERVER]);
  });

  it("waits for what its request asks for, as a deployment does", () => {
    const decided = rolled(lane, { ...hold, ...today, runWith: current });
    expect(queuedOf(decided.lane)).toMatchObject([
      { version: 3, state: { hold: { type, differs: ["activate_command", "variables"] }, deadlineAt: null } },
    ]);
    expect(logOf(decided)[1]).toMatch(
      /, because it changes more than the code: activate_command, variables$/,
    );
    for (const part of [{ settings: "current" }, { variables: "current" }] as const)
      expect(runsWith(rolled(lane, { ...hold, ...today, runWith: { ...open, ...part } }).lane)).toBeNull();
  });

  it("does not wait with all that was live with its code", () => {
    expect(runsWith(rolled(lane, { ...hold, ...today, runWith: deployed }).lane)).toEqual([
      "first",
      1,
      SERVER,
    ]);
  });

  it("waits behind what is held only if it is held itself", () => {
    const held = accepted(start(lane, HOUR, { ...hold, plan: withCommand("second"), ...revision(2) }));
    const decided = rolled(held, { ...hold, ...today, runWith: current });
    expect(logOf(decided)).toEqual(["Queued as v4 by ci: rollback to the code of v1, waiting for v3"]);
    expect(story(rolled(decided.lane, { ...hold, ...today }).lane)).toMatch(/3 queued, 4 queued, 5 offered$/);
  });

  it("waits if what is live is not known, as after a restore of the database", () => {
    const onceLive = onceLiveOf(lane)
      .toReversed()
      .map((one) => LaneDeployment.parse({ ...one, state: { ...one.state, plan: null } }));
    const restored = takeOver(emptyLane, { highestVersion: 2, onceLive });
    const decided = rolled(restored, { ...hold, plan: withCommand("second"), ...revision(2) });
    expect(queuedOf(decided.lane)[0]?.state.hold).toMatchObject({ type, differs: ["settings"] });
    expect(rollBack(restored, DEFAULT_TARGET, 0, { runWith: deployed })).toMatchObject({
      refusal: {
        code: "no_rollback_target",
        detail: expect.stringContaining("settings of v1 are not known"),
      },
    });
  });

  it("is compared with what is live when its turn comes", () => {
    const running = accepted(start(lane, 0, today));
    const waiting = accepted(rollBack(running, DEFAULT_TARGET, HOUR, { ...hold, ...today }));
    const sha = "f".repeat(40);
    expect(runsWith(reportActive(waiting, liveEvents(3, [1, 2, 3], sha), HOUR).lane)).toEqual([
      "new",
      3,
      SERVER,
    ]);
    expect(runsWith(reportActive(waiting, failedEvents([1, 2]), HOUR).lane)).toEqual(["first", 2, SERVER]);
  });

  it("runs with what a look at the targets has shown before", () => {
    const plans = fc.constantFrom(withCommand("first"), withCommand("second"), withCommand("new"));
    const requests = fc.record({ plan: plans, number: fc.integer({ min: 2, max: 3 }), moved: fc.boolean() });
    fc.assert(
      fc.property(requests, ({ plan, number, moved }) => {
        const request = asked({
          plan,
          ...revision(number),
          ...hold,
          serverId: moved ? OTHER_SERVER : SERVER,
        });
        const [target] = listTargets(lane);
        if (target === undefined) throw new Error("no target");
        const { runsWith: shown, heldBy } = previewRollback(lane, target.deployment, request, HOUR);
        const before = [shown.settings === "current" ? plan.activate_command : "first"];
        expect(runsWith(rolled(lane, request).lane)).toEqual([
          ...before,
          shown.variables === "live" ? 2 : number,
          SERVER,
        ]);
        const explicit = rolled(lane, { ...request, runWith: current });
        expect(queuedOf(explicit.lane)[0]?.state.hold?.type ?? null).toBe(heldBy);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a rollback that waits for an approval", () => {
  const waiting = rolled(lane, { ...byAnother, ...today, runWith: current }).lane;
  const idOf = (of: Lane, version: number) => {
    const found = of.deployments.find((one) => one.version === version);
    if (found === undefined) throw new Error(`no version ${version}`);
    return found.id;
  };
  const approve = (of: Lane, version: number, now = HOUR) =>
    decideApprove(
      of,
      { id: idOf(of, version), actor: APPROVER, person: null, commit: null, until: null },
      now,
    );

  it("runs with what its request asked for, when it is approved", () => {
    const decided = approve(waiting, 3);
    expect(decided.ok && runsWith(decided.value.lane)).toEqual(["new", 3, SERVER]);
    const starter = { actor: asked().actor, person: null };
    const own = decideApprove(waiting, { id: idOf(waiting, 3), ...starter, commit: null, until: null }, HOUR);
    expect(own).toMatchObject({ refusal: { code: "own_deployment" } });
  });

  it("is canceled after 7 days, as a deployment is", () => {
    expect(story(decideDeadlines(waiting, HOUR + 7 * 24 * HOUR).lane)).toMatch(/3 canceled$/);
  });

  it("needs none if it runs only what was live", () => {
    const queued = accepted(
      rollBack(accepted(start(lane)), DEFAULT_TARGET, HOUR, { ...byAnother, ...today }),
    );
    expect(approve(queued, 4)).toMatchObject({ refusal: { code: "not_approvable" } });
    const offered = rolled(lane, { ...byAnother, ...today }).lane;
    const detail = expect.stringMatching(/ needs no approval\.$/);
    expect(approve(offered, 3)).toMatchObject({ refusal: { code: "not_approvable", detail } });
  });

  it("waits too if the deployment that it goes back to was deleted in the meantime", () => {
    const queued = accepted(
      rollBack(accepted(start(lane)), DEFAULT_TARGET, HOUR, { ...byAnother, ...today }),
    );
    const deleted = decideDelete(queued, idOf(queued, 1), CI, HOUR);
    const canceled = deleted.ok && decideCancel(deleted.value.lane, idOf(queued, 3), CI, HOUR);
    if (canceled === false || !canceled.ok) throw new Error("refused");
    expect(queuedOf(canceled.value.lane)[0]?.state.hold).toMatchObject({ type: "approval" });
  });

  it("leaves what is approved as it was approved, when it passes it", () => {
    const unapproved = accepted(
      start(lane, HOUR, { ...byAnother, plan: withCommand("third"), ...revision(2) }),
    );
    const second = accepted(
      start(unapproved, HOUR, { ...byAnother, plan: withCommand("fourth"), ...revision(2) }),
    );
    const approved = approve(resolvesTo(second, 4).lane, 4);
    if (!approved.ok) throw new Error("refused");
    const passed = rolled(approved.value.lane, { serverId: OTHER_SERVER, ...today }).lane;
    expect(runsWith(passed)).toEqual(["new", 3, OTHER_SERVER]);
    const [others, own] = queuedOf(passed);
    expect(others).toMatchObject({ serverId: OTHER_SERVER, state: { plan: { activate_command: "new" } } });
    // The server refuses secrets that are older than the rollback's.
    expect(own).toMatchObject({
      serverId: SERVER,
      variables: { revision: 3 },
      state: { plan: { activate_command: "fourth" } },
    });
  });

  it("gives its settings to no deployment that would run them under a weaker rule", () => {
    const release = (release_command: string, keep_releases: number) =>
      withCommand("second", { release_command, keep_releases });
    const settingsOf = (own: ApprovalRule, rule: ApprovalRule) => {
      const change = { ...inFreeze, ...revision(2) };
      const held = accepted(start(lane, HOUR, { ...change, approval: own, plan: release("migrate", 5) }));
      const passed = rolled(held, { ...change, approval: rule, plan: release("make", 9) }).lane;
      return queuedOf(passed).map(({ state: { plan } }) => [plan.release_command, plan.keep_releases]);
    };
    for (const [own, rule, expected] of [
      ["none", "none", 9],
      ["none", "required", 5],
      ["required", "by_another", 5],
      ["by_another", "required", 9],
      ["by_another", "by_another_person", 5],
      ["by_another_person", "by_another", 9],
    ] as const)
      // The release command is not compared with the live settings, so it stays as it was when the deployment was
      // started.
      expect([own, rule, ...settingsOf(own, rule)]).toEqual([own, rule, ["migrate", expected]]);
  });

  it("gives the variables of a later start to nothing that it passes", () => {
    const running = accepted(start(accepted(start(lane)), 0, { ...inFreeze, ...revision(2) }));
    const plan = withCommand("second");
    const behind = accepted(rollBack(running, DEFAULT_TARGET, 0, { ...inFreeze, plan, ...revision(2) }));
    const later = accepted(start(behind, 0, { ...inFreeze, ...byAnother, ...revision(3) }));
    const passed = reportActive(later, failedEvents([1, 2]), HOUR).lane;
    expect(story(passed)).toMatch(/4 queued, 5 offered, 6 queued$/);
    expect(queuedOf(passed)[0]?.variables).toEqual({ revision: 2, deployed: false });
  });

  it("gives the settings of earlier code to nothing that it passes", () => {
    const held = accepted(start(lane, HOUR, { ...inFreeze, plan: withCommand("third"), ...revision(2) }));
    expect(queuedOf(rolled(held, { ...inFreeze, ...today }).lane)).toMatchObject([
      { version: 3, variables: { revision: 2 }, state: { plan: { activate_command: "third" } } },
    ]);
  });
});

/** Another value for each field of a plan, and the names of what differs then, if a hold protects it. */
const changes = [
  ...keptSettings.map((name) => {
    const value = everySetting[name];
    const names = name === "processes" ? namesOf(everySetting.processes) : [name];
    return { to: { [name]: value }, differs: settingUses[name].belongs === "now" ? [] : names };
  }),
  { to: { maintenance: { revision: 1, on: true, message: null } }, differs: [] },
];

function namesOf(processes: Plan["processes"]): string[] {
  return Object.entries(processes).flatMap(([process, settings]) =>
    Object.keys(settings).map((setting) => `processes.${process}.${setting}`),
  );
}

describe("a setting that differs from the live one", () => {
  it.each(changes)("is named, if a hold protects it: $to", ({ to, differs }) => {
    const plan = { ...defaultPlan, ...to };
    expect(planDifferences(defaultPlan, plan)).toEqual(differs);
    expect(planDifferences(plan, defaultPlan)).toEqual(differs);
    const decided = rolled(laneWithLive(2), { ...byAnother, plan, runWith: current });
    expect(queuedOf(decided.lane)[0]?.state.hold?.differs ?? []).toEqual(differs);
  });

  it("is none if the order of its keys differs", () => {
    const one = withCommand("x", {
      processes: { web: { command: "a", port: true }, worker: { command: "b" } },
    });
    const other = withCommand("x", {
      processes: { worker: { command: "b" }, web: { port: true, command: "a" } },
    });
    expect(planDifferences(one, other)).toEqual([]);
  });
});

describe("settings that go back with the code", () => {
  it("are the settings that it was live with, except where and how large the project is", () => {
    const sized = (instances: number, more: ProcessSettings = {}) => ({ web: { instances, ...more } });
    const then = withCommand("first", {
      repository: "/srv/git/then.git",
      domain: "then.localhost",
      limits: { memory_mb: 100 },
      processes: { ...sized(1, { command: "then" }), constructor: { command: "old" } },
    });
    const live = withCommand("second", {
      domain: "live.localhost",
      limits: { memory_mb: 200 },
      processes: { ...sized(8), worker: { command: "work", stopped: true } },
    });
    const now = withCommand("new", { name: "renamed", keep_releases: 9, domain: "now.localhost" });
    const decided = rolled(laneWithPlans([then, 1], [live, 1]), { ...byAnother, plan: now, ...revision(1) });
    expect(activeOf(decided.lane)?.state.plan).toEqual({
      ...defaultPlan,
      activate_command: "first",
      repository: "/srv/git/then.git",
      domain: "live.localhost",
      limits: { memory_mb: 200 },
      processes: {
        ...sized(8, { command: "then" }),
        constructor: { command: "old" },
        worker: { stopped: true },
      },
      name: "renamed",
      keep_releases: 9,
    });
  });

  it("have no more processes than a project may, and start none that was stopped", () => {
    const named = (prefix: string, settings: ProcessSettings) =>
      Object.fromEntries(Array.from({ length: MAX_PROCESSES }, (_, at) => [`${prefix}${at}`, settings]));
    const then = withCommand("first", {
      processes: { worker: { command: "work", stopped: true, instances: 3 } },
    });
    const large = withCommand("first", { processes: named("then", { command: "work" }) });
    const live = withCommand("second", {
      processes: { ...named("live", { instances: 2 }), live19: { stopped: true } },
    });
    const processesOf = (earlier: Plan) => {
      const lanes = laneWithPlans([earlier, 1], [live, 1]);
      return activeOf(rolled(lanes, { ...byAnother, ...today }).lane)?.state.plan.processes;
    };
    expect(processesOf(large)).toEqual(large.processes);
    const kept = processesOf(then) ?? {};
    expect(kept).toMatchObject({ worker: { command: "work", stopped: true }, live19: { stopped: true } });
    expect([Object.keys(kept).length, kept["worker"]?.instances]).toEqual([MAX_PROCESSES, undefined]);
  });

  it("are valid for any processes, have no other commands, and differ in nothing that goes back", () => {
    const settings = fc.record(
      { command: fc.constantFrom("a", "b"), instances: fc.nat(12), stopped: fc.boolean() },
      { requiredKeys: [] },
    );
    const processes = fc.dictionary(fc.stringMatching(/^[a-e][0-9]?$/), settings, { maxKeys: MAX_PROCESSES });
    fc.assert(
      fc.property(processes, processes, (then, now) => {
        const live = { ...defaultPlan, processes: now };
        const merged = earlierPlan({ code: { ...live, processes: then }, live, now: live });
        for (const [name, { command, stopped }] of Object.entries(merged.processes)) {
          expect([undefined, then[name]?.command]).toContain(command);
          if (now[name]?.stopped === true) expect(stopped).toBe(true);
        }
        expect(planDifferences(earlierPlan({ code: merged, live, now: merged }), merged)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("get the token of the repository only if that is on the host of today", () => {
    const decided = rolled(lane, { runWith: { ...open, settings: "deployed" }, ...revision(2) });
    expect(activeOf(decided.lane)?.variables).toEqual({ revision: 2, deployed: true });
  });

  it("are stored once for deployments that have the same, and up to a size", () => {
    const same = laneWithLive(3);
    expect(new Set(onceLiveOf(same).map(({ state }) => state.plan)).size).toBe(1);
    const large = (text: string) => withCommand(text, { release_command: text.repeat(1_500_000) });
    const lanes = laneWithPlans([large("a"), 1], [large("b"), 1], [large("c"), 1]);
    expect(onceLiveOf(lanes).map(({ state }) => state.plan?.activate_command ?? null)).toEqual([
      "c",
      "b",
      null,
    ]);
    expect(liveOf(lanes)?.state.plan).not.toBeNull();
  });
});
