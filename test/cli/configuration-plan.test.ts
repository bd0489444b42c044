import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Item, type KindName, SECRET, type State } from "#cli/configuration/item.ts";
import { type Fields, type Json, stableText } from "#cli/configuration/json.ts";
import { rulesOf } from "#cli/configuration/kind-rules.ts";
import { fingerprintOf, type Plan, planChanges } from "#cli/configuration/plan.ts";
import { planDocument } from "#cli/views/plan-text.ts";

const keep = { prune: false, secrets: false };
const prune = { prune: true, secrets: false };

function itemOf(kind: KindName, name: string, fields: Fields, more: Partial<Item> = {}): Item {
  const common = {
    key: name,
    name,
    identity: name,
    sources: new Map(),
    id: null,
    mark: "",
    masked: [],
    given: [],
  };
  return { kind, fields, ...common, ...more };
}

const stateOf = (...items: readonly Item[]): State => {
  const state = new Map<KindName, Item[]>();
  for (const item of items) state.set(item.kind, [...(state.get(item.kind) ?? []), item]);
  return state;
};

/** What an installation has after all steps. */
function afterwards(current: State, { steps }: Plan): State {
  const state = new Map([...current].map(([kind, items]) => [kind, [...items]]));
  for (const { act, item, current: before, after } of steps) {
    const items = state.get(item.kind) ?? [];
    const left = items.filter((one) => one !== before);
    state.set(item.kind, act === "delete" ? left : [...left, { ...item, fields: after }]);
  }
  return state;
}

/** The same text for states with the same things, whatever their order. */
const textOf = (state: State): string => {
  const texts = [...state].flatMap(([kind, items]) =>
    items
      .filter(({ fields }) => kind !== "variables" || Object.keys(fields).length > 0)
      .map(({ identity, fields }) => stableText([kind, identity, fields])),
  );
  return stableText(texts.toSorted());
};

const word = fc.constantFrom("shop", "blog", "a.b", "#1", "__proto__", "constructor");
const table = (value: fc.Arbitrary<Json>) =>
  fc.array(fc.tuple(word, value), { maxLength: 3 }).map((entries): Fields => Object.fromEntries(entries));

/** Things with fields as the kinds have them. Only freezes can have the same name. */
const project = fc
  .tuple(
    word,
    fc.record({ branch: word, keep: fc.nat(3), cron: table(fc.record({ command: word })) }),
    fc.option(word, { nil: undefined }),
  )
  .map(([name, fields, command]) =>
    itemOf("projects", name, command === undefined ? fields : { ...fields, build_command: command }),
  );
const variables = fc.tuple(word, table(word)).map(([name, fields]) => itemOf("variables", name, fields));
const freeze = fc
  .tuple(word, fc.record({ times: word }))
  .map(([name, fields]) => itemOf("freezes", name, fields));

const unique = (items: readonly Item[]) => [
  ...new Map(items.map((item) => [item.identity, item] as const)).values(),
];
const state = fc
  .record({
    projects: fc.array(project, { maxLength: 4 }).map(unique),
    freezes: fc.array(freeze, { maxLength: 5 }),
    variables: fc.array(variables, { maxLength: 4 }).map(unique),
  })
  .map(({ projects, freezes, variables: all }): State => {
    // Each project has variables, and nothing else has.
    const names = new Map(all.map((item) => [item.name, item]));
    const ofProjects = projects.map(({ name }) => names.get(name) ?? itemOf("variables", name, {}));
    return new Map<KindName, readonly Item[]>([
      ["projects", projects],
      ["variables", ofProjects],
      ["freezes", freezes],
    ]);
  });

describe("a plan", () => {
  it("is empty for an installation that is like the file", () => {
    fc.assert(
      fc.property(state, (one) => {
        expect(planChanges(one, one, prune)).toMatchObject({ steps: [], extras: [], missing: [] });
      }),
    );
  });

  it("makes any installation like any file, and then there is nothing to do", () => {
    fc.assert(
      fc.property(state, state, (wanted, current) => {
        const plan = planChanges(wanted, current, prune);
        const after = afterwards(current, plan);
        const left = new Map(
          [...after].map(([kind, items]) => [
            kind,
            items.filter(
              ({ name }) =>
                kind !== "variables" || (after.get("projects") ?? []).some((one) => one.name === name),
            ),
          ]),
        );
        expect(textOf(left)).toBe(textOf(wanted));
        expect(planChanges(wanted, left, prune).steps).toEqual([]);
      }),
    );
  });

  it("never loses anything without --prune, and then there is nothing to do", () => {
    fc.assert(
      fc.property(state, state, (wanted, current) => {
        const plan = planChanges(wanted, current, keep);
        expect(plan.steps.filter(({ act }) => act === "delete")).toEqual([]);
        const after = afterwards(current, plan);
        for (const [kind, items] of current)
          for (const { identity, fields } of items) {
            const same = (after.get(kind) ?? []).filter((one) => one.identity === identity);
            expect(same.length).toBeGreaterThan(0);
            const cron = fields["cron"] ?? {};
            if (kind === "projects")
              expect(Object.keys(same[0]?.fields["cron"] ?? {})).toEqual(
                expect.arrayContaining(Object.keys(cron)),
              );
            if (kind === "variables")
              expect(Object.keys(same[0]?.fields ?? {})).toEqual(expect.arrayContaining(Object.keys(fields)));
          }
        expect(planChanges(wanted, after, keep).steps).toEqual([]);
      }),
    );
  });

  it("continues after any of its steps with the rest of them", () => {
    fc.assert(
      fc.property(state, state, fc.nat(20), (wanted, current, count) => {
        const plan = planChanges(wanted, current, prune);
        const steps = plan.steps.slice(0, count);
        const rest = planChanges(wanted, afterwards(current, { ...plan, steps }), prune);
        const textsOf = (some: Plan["steps"]) =>
          some.map(({ act, item }) => `${act} ${item.kind} ${item.name}`).toSorted();
        // The variables of a deleted project are gone with it.
        expect(textsOf(rest.steps)).toEqual(textsOf(plan.steps.slice(count)));
      }),
    );
  });
});

describe("the fields of a plan", () => {
  const shop = (fields: Fields, more: Partial<Item> = {}) =>
    stateOf(itemOf("projects", "shop", fields, more));
  const changesOf = (wanted: State, current: State, options = keep) =>
    planChanges(wanted, current, options).steps.flatMap(({ changes }) =>
      changes.map(({ path, before, after }) => [path.join("."), before, after]),
    );

  it("are named one by one, also in tables", () => {
    const before = shop({ branch: "main", processes: { web: { instances: 1, command: "a" } } });
    const after = shop({ branch: "next", processes: { web: { instances: 2, command: "a" } } });
    expect(changesOf(after, before)).toEqual([
      ["branch", "main", "next"],
      ["processes.web.instances", 1, 2],
    ]);
  });

  it("become automatic if the file leaves them out, and others stay", () => {
    const before = shop({ build_command: "make", domain: "shop.example.com" });
    expect(changesOf(shop({}), before)).toEqual([["build_command", "make", undefined]]);
    expect(rulesOf("projects").automatic).toContain("build_command");
  });

  it("keep the processes, aliases and cron jobs that only the installation has", () => {
    expect(rulesOf("projects").grows).toEqual(["processes", "aliases", "cron"]);
    const before = shop({ cron: { backup: { schedule: "@daily" } } });
    const wanted = shop({ cron: { report: { schedule: "@weekly" } } });
    const plan = planChanges(wanted, before, keep);
    expect(plan.extras.map(({ path }) => path)).toEqual([["cron", "backup"]]);
    expect(Object.keys(plan.steps[0]?.after["cron"] ?? {})).toEqual(["report", "backup"]);
    expect(changesOf(wanted, before, prune)).toEqual([
      ["cron.backup", { schedule: "@daily" }, undefined],
      ["cron.report", undefined, { schedule: "@weekly" }],
    ]);
  });

  it("do not show what looks like a secret", () => {
    const variablesOf = (fields: Fields) => stateOf(itemOf("variables", "shop", fields));
    const before = variablesOf({
      DB_PASSWORD: "hunter2",
      API: "https://ada:hunter2@example.com",
      MODE: "slow",
    });
    const after = variablesOf({ API: "https://ada:hunter3@example.com", MODE: "fast" });
    const plan = planChanges(after, before, prune);
    const document = JSON.stringify(planDocument(plan, ""));
    expect(document).not.toContain("hunter");
    expect(document).toContain('"before":"slow","after":"fast"');
  });

  it("do not show a value of the environment that is a part of a table or a list", () => {
    const sources = new Map([
      ["processes.web.command", "COMMAND"],
      ["projects.1", "PROJECT"],
    ]);
    const fields = {
      processes: { web: { command: "hunter2", instances: 1 } },
      projects: ["hunter2", "shop"],
    };
    for (const before of [stateOf(), shop({ processes: {}, projects: ["shop"] })]) {
      const plan = planChanges(shop(fields, { sources }), before, keep);
      expect(JSON.stringify(planDocument(plan, ""))).not.toContain("hunter2");
      expect(plan.steps).toHaveLength(1);
    }
  });

  it("do not compare secrets, and send them again only with --secrets", () => {
    const sources = new Map([["headers.Authorization", "TOKEN"]]);
    const hook = (headers: Fields) => stateOf(itemOf("webhooks", "program", { headers }, { sources }));
    const same = hook({ Authorization: SECRET });
    expect(changesOf(same, same)).toEqual([]);
    expect(changesOf(same, hook({}))).toEqual([["headers.Authorization", undefined, SECRET]]);
    expect(changesOf(same, same, { prune: false, secrets: true })).toEqual([
      ["headers.Authorization", SECRET, SECRET],
    ]);
  });
});

describe("the order of a plan", () => {
  it("is projects, what names them, and deletions in reverse", () => {
    const wanted = new Map<KindName, readonly Item[]>([
      ["freezes", [itemOf("freezes", "new", {})]],
      ["hooks", []],
      ["variables", [itemOf("variables", "shop", { A: "1" })]],
      ["projects", [itemOf("projects", "shop", {})]],
    ]);
    const current = stateOf(
      itemOf("projects", "old", {}),
      itemOf("hooks", "old", {}),
      itemOf("freezes", "old", {}),
    );
    const { steps } = planChanges(wanted, current, prune);
    expect(steps.map(({ act, item }) => `${act} ${item.kind}`)).toEqual([
      "create projects",
      "create variables",
      "create freezes",
      "delete freezes",
      "delete hooks",
      "delete projects",
    ]);
  });

  it("leaves kinds alone that the file does not have", () => {
    const { steps, extras } = planChanges(stateOf(), stateOf(itemOf("freezes", "old", {})), prune);
    expect([steps, extras]).toEqual([[], []]);
  });

  it("names members who have not joined, and removes nobody", () => {
    const wanted = stateOf(itemOf("members", "grace@example.com", {}));
    const plan = planChanges(wanted, stateOf(itemOf("members", "ada@example.com", {})), prune);
    expect(plan).toMatchObject({ steps: [], extras: [], missing: [{ name: "grace@example.com" }] });
  });
});

describe("the notices of a plan", () => {
  const withDomain = (name: string, domain: string, repository = name) =>
    itemOf("projects", name, { domain, repository });
  const noticesFor = (wanted: State, current: State, options = keep) =>
    planChanges(wanted, current, options).notices;

  it("say which projects exchange their domains, and how to do that", () => {
    const before = stateOf(withDomain("a", "1.com"), withDomain("b", "2.com"), withDomain("c", "3.com"));
    const after = stateOf(withDomain("a", "2.com"), withDomain("b", "1.com"), withDomain("c", "3.com"));
    expect(noticesFor(after, before)).toEqual([
      "projects.a and projects.b exchange domains, which one apply cannot do. Give projects.b another domain, apply, and then apply this file.",
    ]);
    const moved = stateOf(withDomain("a", "2.com"), withDomain("b", "4.com"), withDomain("c", "1.com"));
    expect(noticesFor(moved, before)).toEqual([]);
    const circle = stateOf(withDomain("a", "2.com"), withDomain("b", "3.com"), withDomain("c", "1.com"));
    expect(noticesFor(circle, before)).toEqual([
      expect.stringContaining("projects.a and projects.b exchange"),
    ]);
  });

  it("say that a project which stays has the domain of a new one", () => {
    const before = stateOf(
      withDomain("shop", "shop.com"),
      itemOf("projects", "blog", { aliases: { "www.com": {} } }),
    );
    expect(noticesFor(stateOf(withDomain("store", "shop.com")), before)).toEqual([
      'projects.store cannot have the domain shop.com: projects.shop keeps it. If store is a new name of shop, add was = "shop" to projects.store, which keeps its history.',
    ]);
    const both = stateOf(withDomain("shop", "www.com"));
    expect(noticesFor(both, before)).toEqual([
      "projects.shop cannot have the domain www.com: projects.blog keeps it.",
    ]);
  });

  it("say that secrets outside of the file have to be entered again after a move", () => {
    const shop = (...servers: readonly string[]) =>
      itemOf("projects", "shop", { servers: servers.map((server) => ({ server })) });
    const before = stateOf(shop("web-1", "web-2"));
    const wanted = [shop("web-2", "web-3")];
    expect(noticesFor(stateOf(...wanted), before)).toEqual([
      "projects.shop gets web-3, and the file does not have its variables. If it has secrets, enter them again afterwards: gantry variables list shows them.",
    ]);
    expect(noticesFor(stateOf(...wanted, itemOf("variables", "shop", {})), before)).toEqual([]);
    expect(noticesFor(stateOf(shop("web-2")), before)).toEqual([]);
  });

  it("warn if --prune deletes a project that another one looks like", () => {
    const before = stateOf(
      withDomain("shop", "shop.com"),
      withDomain("blog", "blog.com", "git"),
      withDomain("x", "x.com"),
    );
    const after = stateOf(withDomain("store", "shop.com"), withDomain("news", "news.com", "git"));
    expect(noticesFor(after, before, prune)).toEqual([
      'projects.shop is deleted with its deployments and secrets, and projects.store is created in its place. If store is a new name of shop, add was = "shop" to projects.store, which keeps its history.',
      expect.stringContaining("projects.blog is deleted with its deployments and secrets, and projects.news"),
    ]);
  });
});

describe("the fingerprint of a plan", () => {
  const shop = (fields: Fields, mark = "") => stateOf(itemOf("projects", "shop", fields, { mark }));
  const of = (wanted: State, current: State, options = keep, url = "https://one.example.com") =>
    fingerprintOf(url, { wanted, current }, options);

  it("changes with the file, the installation, its address and the options", async () => {
    const texts = await Promise.all([
      of(shop({ a: 1 }), shop({ a: 2 })),
      of(shop({ a: 2 }), shop({ a: 2 })),
      of(shop({ a: 1 }), shop({ a: 3 })),
      of(shop({ a: 1 }), shop({ a: 2 }, "revision 2")),
      of(shop({ a: 1 }), shop({ a: 2 }), prune),
      of(shop({ a: 1 }), shop({ a: 2 }), keep, "https://two.example.com"),
    ]);
    expect(new Set(texts).size).toBe(texts.length);
    expect(await of(shop({ a: 1 }), shop({ a: 2 }))).toBe(texts[0]);
  });

  it("does not change with kinds that the file does not have", async () => {
    const freezes = new Map<KindName, readonly Item[]>([["freezes", [itemOf("freezes", "x", {})]]]);
    expect(await of(shop({}), shop({}))).toBe(await of(shop({}), new Map([...shop({}), ...freezes])));
  });
});
