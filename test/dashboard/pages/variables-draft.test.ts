import { describe, expect, it } from "vitest";

import type { Variable, Variables } from "#contract/endpoints/variables/schemas.ts";
import { createIdGenerator } from "#contract/ids.ts";
import {
  afterSaving,
  changed,
  editOf,
  errorsIn,
  isSecret,
  newEdit,
  settingOf,
  withEdit,
  withImported,
  withNewEdit,
  withoutEdit,
  withoutSecrets,
  withRemovalToggled,
} from "#dashboard/pages/variables/draft.ts";
import { looksSecret } from "#contract/looks-secret.ts";
import { readImport, textOf } from "#dashboard/pages/variables/read-import.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});

const by = {
  revision: 1,
  changed_at: "2026-11-20T09:14:02.310Z",
  changed_by: { type: "token", id: ids.token(), name: "CI" },
} as const;
const plain: Variable = { name: "PUBLIC_URL", secret: false, value: "https://shop.example.com", ...by };
const secret: Variable = { name: "DATABASE_PASSWORD", secret: true, build: true, sealed_for: [], ...by };
const current: Variables = {
  account_id: ids.account(),
  project_id: ids.project(),
  server_id: ids.server(),
  revision: 4,
  variables: [secret, plain],
  seal_key: null,
  servers: [],
  not_sealed: [],
};

describe("a draft", () => {
  it("is made for the revision that was shown, and is gone with its last change", () => {
    const edit = newEdit({ name: "A", value: "1" });
    const draft = changed(null, current, { edits: [edit] });
    expect(draft).toEqual({ revision: 4, edits: [edit], removed: [] });
    expect(changed(draft, { ...current, revision: 5 }, { removed: ["B"] })?.revision).toBe(4);
    expect(changed(draft, current, { edits: [] })).toBeNull();
  });

  it("takes new and changed edits, and none that was closed in the meantime", () => {
    const [first, second] = [newEdit({ name: "A", value: "1" }), newEdit({ name: "B", value: "2" })];
    const both = withNewEdit(withNewEdit(null, current, first), current, second);
    const edited = withEdit(both, current, { ...first, value: "3" });
    expect(edited?.edits.map(({ value }) => value)).toEqual(["3", "2"]);
    const closed = withoutEdit(edited, current, first.key);
    expect(withEdit(closed, current, first)?.edits).toEqual([second]);
    expect(withoutEdit(closed, current, second.key)).toBeNull();
  });

  it("removes a variable, or keeps it after a second click", () => {
    const removing = withRemovalToggled(null, current, plain.name);
    expect(removing?.removed).toEqual([plain.name]);
    expect(withRemovalToggled(removing, current, plain.name)).toBeNull();
  });

  it("is stored without the values of secrets, also of variables that only look like secrets", () => {
    const edits = [
      newEdit({ name: "A", value: "hidden-1" }, true),
      newEdit({ name: "API_TOKEN", value: "hidden-2" }),
      newEdit({ name: "B", value: "shown" }),
    ];
    const stored = withoutSecrets({ revision: 4, edits, removed: [] });
    expect(JSON.stringify(stored)).not.toContain("hidden");
    expect(stored.edits.map((edit) => [edit.value, isSecret(edit)])).toEqual([
      ["", true],
      ["", true],
      ["shown", false],
    ]);
  });

  it("keeps what was typed while it was saved", () => {
    const first = newEdit({ name: "A", value: "1" });
    const second = newEdit({ name: "B", value: "2" });
    const sent = { revision: 4, edits: [first, second], removed: ["C"] };
    const now = { ...sent, edits: [first, { ...second, value: "3" }], removed: ["C", "D"] };
    const saved = { ...current, revision: 5 };
    expect(afterSaving(sent, sent, saved)).toBeNull();
    expect(afterSaving(now, sent, saved)).toEqual({
      revision: 5,
      edits: [{ ...second, value: "3" }],
      removed: ["D"],
    });
  });
});

describe("an edit", () => {
  it("of a secret begins empty and keeps its build flag; of a plain variable it begins with the value", () => {
    expect(settingOf(editOf(secret))).toEqual({
      name: "DATABASE_PASSWORD",
      value: "",
      secret: true,
      build: true,
    });
    expect(settingOf(editOf(plain))).toEqual({ name: "PUBLIC_URL", value: plain.value, secret: false });
  });

  it.each([
    ["1A", "1", { name: expect.stringContaining("beginning with a letter"), value: null }],
    ["GANTRY_URL", "1", { name: expect.stringContaining("Must not begin with GANTRY"), value: null }],
    ["", "1", { name: "Enter a name.", value: null }],
    ["A", "a\0b", { name: null, value: "Must not contain a NUL character." }],
    ["A", "ä".repeat(16_385), { name: null, value: expect.stringContaining("32768 bytes") }],
    ["API_KEY", "", { name: null, value: "Enter the secret." }],
    ["A", "", { name: null, value: null }],
    ["GANTRY_REPOSITORY_TOKEN", "token", { name: null, value: null }],
    ["GANTRY_REGISTRY_TOKEN", "ada:token@ghcr.io", { name: null, value: null }],
    ["GANTRY_REGISTRY_TOKEN", "token", { name: null, value: expect.stringContaining("line 1 has no @") }],
  ])("with the name %j is validated", (name, value, errors) => {
    const edit = newEdit({ name, value });
    expect(errorsIn(edit, [edit])).toEqual(errors);
  });

  it("of a name that is edited twice is invalid", () => {
    const [one, other] = [newEdit({ name: "A", value: "1" }), newEdit({ name: " A ", value: "2" })];
    expect(errorsIn(one, [one, other]).name).toBe("There is another change of this name.");
  });

  it.each(["GANTRY_REPOSITORY_TOKEN", "GANTRY_REGISTRY_TOKEN"])(
    "makes %s a secret that no build gets",
    (name) => {
      const edit = { ...newEdit({ name, value: "x" }, false), build: true };
      expect(settingOf(edit)).toMatchObject({ secret: true, build: false });
    },
  );
});

describe("an import", () => {
  it("adds and edits variables, and skips variables that do not change", () => {
    const before = changed(null, current, {
      edits: [newEdit({ name: "A", value: "old" })],
      removed: ["PUBLIC_URL"],
    });
    const { variables, errors } = readImport(
      `# shop\nexport A=1\nPUBLIC_URL=${plain.value}\nDATABASE_PASSWORD="two\nlines"\nB='x # y' # z\nA=2`,
    );
    expect(errors).toEqual([]);
    const draft = withImported(before, current, variables, null);
    expect(draft?.edits.map(({ of, name, value }) => [of, name, value])).toEqual([
      [null, "A", "2"],
      ["DATABASE_PASSWORD", "DATABASE_PASSWORD", "two\nlines"],
      [null, "B", "x # y"],
    ]);
    expect(draft?.removed).toEqual([]);
    expect(withImported(null, current, variables, true)?.edits.every(isSecret)).toBe(true);
  });

  it("takes only files in UTF-8, because other bytes would be replaced in a value", () => {
    expect(textOf(new TextEncoder().encode("A=pässwörd"))).toBe("A=pässwörd");
    expect(textOf(Uint8Array.of(0x41, 0x3d, 0xe4))).toBeNull();
  });

  it("names each wrong line, and never quotes one", () => {
    const { errors } = readImport('GOOD=1\nhidden\n1A=hidden\nGANTRY_X=hidden\nB="hidden');
    expect(errors.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect(JSON.stringify(errors)).not.toContain("hidden");
  });
});

describe("a variable", () => {
  it.each([
    ["DATABASE_PASSWORD", "x", true],
    ["STRIPE_API_KEY", "x", true],
    ["NEXT_PUBLIC_KEY", "x", false],
    ["MONKEY", "x", false],
    ["DATABASE_URL", "postgres://shop:pass@db/shop", true],
    ["DATABASE_URL", "postgres://db/shop", false],
    ["CERTIFICATE", "-----BEGIN RSA PRIVATE KEY-----", true],
  ])("of the name %s is suggested as a secret if it looks like one: %s", (name, value, expected) => {
    expect(looksSecret(name, value)).toBe(expected);
  });
});
