import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { silenceText } from "#agent/run/start/watch-silence.ts";
import { type CrashHistory, noCrashes, noticeCrashes } from "#agent/apps/crash-history.ts";
import { decideUpkeep, type InstancesNow } from "#agent/apps/decide-upkeep.ts";
import type { Desired } from "#agent/apps/desired.ts";
import { instanceFingerprint } from "#agent/apps/fingerprint.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import { cpuPercent, instanceState } from "#agent/apps/instance-state.ts";
import { planInstances, type RunningInstance } from "#agent/apps/plan-instances.ts";
import type { RunVariables } from "#contract/agent-order.ts";
import { instanceFields } from "#contract/endpoints/processes/process-settings.ts";
import { AccountId } from "#contract/ids.ts";
import { type ResolvedProcess, resolveProcesses } from "#contract/processes/resolve-processes.ts";
import { everyProcessSetting } from "../../support/every-setting.ts";

const processOf = (name: string, instances: number): ResolvedProcess => {
  const [resolved] = resolveProcesses({ [name]: { command: `run ${name}`, instances } }, {});
  if (resolved === undefined) throw new Error("no process");
  return resolved;
};
const wanted = (name: string, instances: number, fingerprint = "new") => ({
  process: processOf(name, instances),
  fingerprint,
});
const running = (name: string, fingerprint: string, isDraining = false): RunningInstance => ({
  ...{ name, fingerprint, isDraining },
  process: name.replace(/-\d+-\d+$/, ""),
});
const namesOf = (ones: readonly { readonly name: string }[]) => ones.map(({ name }) => name);
const taken = (ones: readonly RunningInstance[]) => new Set(namesOf(ones));

describe("the line about a new instance that does not listen yet", () => {
  const at = (address: string, port: number) => ({ address, port, uid: 1000 });
  it.each([
    [[], ": it must use the port in PORT. If it answers no requests, such as a bot, name the process worker"],
    [[at("[::1]", 20_007)], "; it listens on [::1]:20007: use the address in HOST, 127.0.0.1"],
    [
      [at("127.0.0.1", 3000), at("0.0.0.0", 9229)],
      "; it listens on 127.0.0.1:3000 and 0.0.0.0:9229: use the port in PORT and the address in HOST, 127.0.0.1",
    ],
  ])("%j", (listeners, rest) => {
    expect(silenceText("web-2-0", 20_007, listeners)).toBe(
      `web-2-0 does not listen on 127.0.0.1:20007 yet${rest}`,
    );
  });
});

describe("the plan of a deployment's instances", () => {
  it("replaces every instance of another release", () => {
    const before = [running("web-7-0", "old"), running("web-7-1", "old")];
    const plan = planInstances([wanted("web", 2)], before, 8, taken(before), []);
    expect(namesOf(plan.started)).toEqual(["web-8-0", "web-8-1"]);
    expect(plan.replaced).toEqual(["web-7-0", "web-7-1"]);
  });

  it("touches nothing that runs when a process is scaled", () => {
    const before = [running("web-7-0", "new"), running("web-7-1", "new")];
    const up = planInstances([wanted("web", 3)], before, 8, taken(before), []);
    expect([namesOf(up.kept), namesOf(up.started), up.replaced]).toEqual([
      ["web-7-0", "web-7-1"],
      ["web-8-0"],
      [],
    ]);
    const down = planInstances([wanted("web", 1)], before, 9, taken(before), []);
    expect([namesOf(down.kept), namesOf(down.started), down.replaced]).toEqual([
      ["web-7-0"],
      [],
      ["web-7-1"],
    ]);
  });

  it("takes draining instances back, and gives them no second drain otherwise", () => {
    const before = [running("web-7-0", "new", true), running("web-8-0", "old")];
    const back = planInstances([wanted("web", 1)], before, 9, taken(before), []);
    expect([namesOf(back.kept), back.started, back.replaced]).toEqual([["web-7-0"], [], ["web-8-0"]]);
    const on = planInstances([wanted("web", 1, "third")], before, 9, taken(before), []);
    expect(on.replaced).toEqual(["web-8-0"]);
  });

  it("replaces the instances of a process that is restarted, although nothing changed", () => {
    const before = [running("web-7-0", "new"), running("worker-7-0", "new")];
    const plan = planInstances([wanted("web", 1), wanted("worker", 1)], before, 8, taken(before), ["web"]);
    expect([namesOf(plan.kept), namesOf(plan.started)]).toEqual([["worker-7-0"], ["web-8-0"]]);
  });

  it("ends the instances of a process that was stopped or removed", () => {
    const before = [running("web-7-0", "new"), running("gone-7-0", "new")];
    const stopped = { ...wanted("web", 1), process: { ...processOf("web", 1), stopped: true } };
    const plan = planInstances([stopped], before, 8, taken(before), []);
    expect([plan.kept, plan.started, plan.replaced]).toEqual([[], [], ["web-7-0", "gone-7-0"]]);
  });

  it("always ends with the wanted number of instances, with new names", () => {
    const one = fc.record({
      process: fc.constantFrom("web", "worker"),
      n: fc.nat(5),
      fingerprint: fc.constantFrom("new", "old"),
      isDraining: fc.boolean(),
    });
    const ones = fc.uniqueArray(one, { selector: ({ process, n }) => `${process}-${n}` });
    fc.assert(
      fc.property(ones, fc.nat(6), fc.nat(6), (found, webs, workers) => {
        const before = found.map(({ process, n, ...rest }) => ({
          ...rest,
          process,
          name: `${process}-3-${n}`,
        }));
        const plan = planInstances(
          [wanted("web", webs), wanted("worker", workers)],
          before,
          3,
          taken(before),
          [],
        );
        const after = [...plan.kept, ...plan.started];
        expect(after.filter(({ processName }) => processName === "web")).toHaveLength(webs);
        expect(after.filter(({ processName }) => processName === "worker")).toHaveLength(workers);
        expect(new Set(namesOf(after)).size).toBe(after.length);
        expect(plan.started.filter(({ name }) => taken(before).has(name))).toEqual([]);
        expect(plan.replaced.filter((name) => namesOf(after).includes(name))).toEqual([]);
      }),
    );
  });
});

describe("the fingerprint of an instance", () => {
  const account_id = AccountId.parse(`acct_${"0".repeat(26)}`);
  const variables = (plain: Record<string, string>, revision: number): RunVariables => ({
    account_id,
    revision: 9,
    deployed: false,
    plain: Object.entries(plain).map(([name, value]) => ({ name, value })),
    secrets: [
      { name: "KEY", revision, build: false, sealed: null },
      { name: "GANTRY_REPOSITORY_TOKEN", revision: revision + 1, build: false, sealed: null },
    ],
  });
  const web = processOf("web", 1);

  it("does not depend on the number of instances, the order of variables and the repository's token", () => {
    const print = instanceFingerprint(3, web, variables({ A: "1", B: "2" }, 4));
    expect(instanceFingerprint(3, { ...web, instances: 5 }, variables({ B: "2", A: "1" }, 4))).toBe(print);
  });

  it("changes with the release, each setting of an instance, a variable's value and a secret's revision", () => {
    const others = instanceFields.map((name) =>
      resolveProcesses({}, { web: { command: web.command, [name]: everyProcessSetting[name] } }),
    );
    const prints = [
      instanceFingerprint(3, web, variables({ A: "1" }, 4)),
      instanceFingerprint(4, web, variables({ A: "1" }, 4)),
      ...others.flat().map((other) => instanceFingerprint(3, other, variables({ A: "1" }, 4))),
      instanceFingerprint(3, web, variables({ A: "2" }, 4)),
      instanceFingerprint(3, web, variables({ A: "1" }, 5)),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });
});

describe("the upkeep of a project", () => {
  const note = (name: string, change: Partial<InstanceNote> = {}): InstanceNote => ({
    name,
    process: name.replace(/-\d+-\d+$/, ""),
    release: 7,
    port: name.startsWith("web") ? 20_001 : null,
    fingerprint: "f",
    draining_until: null,
    is_crash_looping: false,
    ...change,
  });
  const desired = (names: readonly string[], replaced: readonly string[] = []): Desired => ({
    run_id: null,
    version: 8,
    release: 8,
    processes: [],
    instances: names.map((name) => ({ name, process: note(name).process })),
    replaced: [...replaced],
    drain_seconds: 30,
    settings: {},
    domain: "shop.example",
    health_check: null,
  });
  const now = 1_000_000;
  const upkeep = (change: Partial<InstancesNow>) =>
    decideUpkeep(
      {
        ...{ desired: null, notes: [], supervised: [] },
        ...{ claimed: new Set(), stopping: new Set() },
        ...change,
      },
      now,
    );

  it("starts what must run and does not", () => {
    const { start, stop } = upkeep({ desired: desired(["web-8-0"]), notes: [note("web-8-0")] });
    expect([namesOf(start), stop]).toEqual([["web-8-0"], []]);
  });

  it("drains what was replaced, for as long as set, and stops a replaced worker at once", () => {
    const { drain, stop } = upkeep({
      desired: desired(["web-8-0"], ["web-7-0", "worker-7-0"]),
      notes: [note("web-8-0"), note("web-7-0"), note("worker-7-0")],
      supervised: [{ name: "web-8-0" }, { name: "web-7-0" }, { name: "worker-7-0" }],
    });
    expect(drain).toEqual([{ ...note("web-7-0"), draining_until: now + 30_000 }]);
    expect(stop).toEqual(["worker-7-0"]);
  });

  it("continues a drain of an earlier deployment, and stops the instance when its time is up", () => {
    const of = (draining_until: number) =>
      upkeep({
        desired: desired([]),
        notes: [note("web-6-0", { draining_until })],
        supervised: [{ name: "web-6-0" }],
      });
    expect(namesOf(of(now + 1).drain)).toEqual(["web-6-0"]);
    expect(of(now + 1).stop).toEqual([]);
    expect(of(now).stop).toEqual(["web-6-0"]);
  });

  it("shortens a drain that an earlier agent noted before the clock was set back", () => {
    const draining = note("web-6-0", { draining_until: now + 86_400_000 });
    const { drain } = upkeep({ desired: desired([]), notes: [draining], supervised: [{ name: "web-6-0" }] });
    expect(drain).toEqual([{ ...draining, draining_until: now + 600_000 }]);
  });

  it("stops what nothing names, with and without a note, unless a run holds it", () => {
    const supervised = [{ name: "web-9-0" }, { name: "web-9-1" }, { name: "stray-1-0" }];
    const { stop } = upkeep({
      desired: desired([]),
      notes: [note("web-9-0"), note("web-9-1")],
      supervised,
      claimed: new Set(["web-9-1"]),
    });
    expect(stop).toEqual(["web-9-0", "stray-1-0"]);
  });

  it("ends the drain of an instance that is needed again, and forgets instances that no longer exist", () => {
    const { keep, forget } = upkeep({
      desired: desired(["web-7-0"]),
      notes: [note("web-7-0", { draining_until: now + 5 }), note("web-6-0")],
      supervised: [{ name: "web-7-0" }],
    });
    expect([namesOf(keep), forget]).toEqual([["web-7-0"], ["web-6-0"]]);
  });
});

describe("an instance", () => {
  type State = "running" | "restarting";
  type Look = readonly [at: number, restarts: number, state: State];
  const historyOf = (looks: readonly Look[], code = 1) => {
    const lastExit = { code, signal: null, isOutOfMemory: false };
    return looks.reduce<CrashHistory>(
      (before, [at, restarts, state]) => noticeCrashes(before, { state, restarts, lastExit }, at),
      noCrashes,
    );
  };
  const after = (looks: readonly Look[], code = 1) => historyOf(looks, code).isLooping;

  it("is crash-looping after five ends within a minute", () => {
    expect(after([[5_000, 3, "restarting"]])).toBe(false);
    expect(
      after([
        [5_000, 3, "restarting"],
        [10_000, 5, "running"],
      ]),
    ).toBe(true);
    expect(after([[5_000, 4, "restarting"]])).toBe(true);
  });

  it("is not if its ends are further apart and none is a failure", () => {
    const looks = [1, 2, 3, 4, 5, 6].map((n) => [n * 20_000, n, "running"] as const);
    expect(after(looks, 0)).toBe(false);
    expect(after(looks)).toBe(true);
  });

  it("is crash-looping all the time while it fails every two minutes, and until it has run for twice as long", () => {
    const minutes = (count: number): Look[] =>
      Array.from({ length: count }, (_, at) => [at * 60_000, Math.floor(at / 2), "running"]);
    const states = Array.from({ length: 240 }, (_, at) => after(minutes(at + 1)));
    expect(states.lastIndexOf(false)).toBe(9);
    expect(historyOf(minutes(240)).loop).toEqual({ ends: 5, ms: 480_000 });
    const [lastAt, restarts] = minutes(239).at(-1) ?? [0, 0];
    expect(after([...minutes(239), [lastAt + 239_000, restarts, "running"]])).toBe(true);
    expect(after([...minutes(239), [lastAt + 240_000, restarts, "running"]])).toBe(false);
  });

  it("is not while it fails every eight minutes", () => {
    const looks = Array.from({ length: 60 }, (_, n): Look => [n * 480_000, n, "running"]);
    expect(after(looks)).toBe(false);
  });

  it("stays so while the pauses between its lives grow, until one has lasted a minute", () => {
    const loops = [
      [5_000, 5, "restarting"],
      [100_000, 7, "restarting"],
      [200_000, 9, "running"],
    ] as const;
    expect(after([...loops, [259_000, 9, "running"]])).toBe(true);
    expect(after([...loops, [240_000, 10, "running"], [260_000, 10, "running"]])).toBe(true);
    expect(after([...loops, [260_000, 9, "running"]])).toBe(false);
  });

  it("has the state that its visitors see", () => {
    const known = { isDesired: true, isClaimed: false, isCrashLooping: false };
    expect(instanceState({ state: "running" }, known)).toBe("live");
    expect(instanceState({ state: "running" }, { ...known, isDesired: false, isClaimed: true })).toBe(
      "starting",
    );
    expect(instanceState({ state: "running" }, { ...known, isDesired: false })).toBe("draining");
    expect(instanceState({ state: "stopping" }, known)).toBe("draining");
    expect(instanceState({ state: "restarting" }, known)).toBe("restarting");
    expect(instanceState({ state: "running" }, { ...known, isCrashLooping: true })).toBe("crash_looping");
    const started = { isDesired: false, isClaimed: true, isCrashLooping: true };
    expect(instanceState({ state: "restarting" }, started)).toBe("restarting");
  });

  it("uses CPU since the previous report, or since its start at the first", () => {
    const first = cpuPercent(null, { cpuMs: 500, startedAt: 1_000 }, 2_000);
    expect(first.percent).toBe(50);
    const second = cpuPercent(first.sample, { cpuMs: 600, startedAt: 1_000 }, 4_000);
    expect(second.percent).toBe(5);
    expect(cpuPercent(second.sample, { cpuMs: 100, startedAt: 4_500 }, 5_500).percent).toBe(10);
    expect(cpuPercent(second.sample, { cpuMs: 600, startedAt: 1_000 }, 4_100).percent).toBeNull();
    expect(cpuPercent(null, { cpuMs: null, startedAt: 1 }, 5).percent).toBeNull();
  });

  it("has a CPU use again at the second report after the clock was set back", () => {
    const before = cpuPercent(null, { cpuMs: 500, startedAt: 1_001_000 }, 1_002_000);
    const first = cpuPercent(before.sample, { cpuMs: 600, startedAt: 1_001_000 }, 3_000);
    expect(first.percent).toBeNull();
    expect(cpuPercent(first.sample, { cpuMs: 700, startedAt: 1_001_000 }, 4_000).percent).toBe(10);
  });
});
