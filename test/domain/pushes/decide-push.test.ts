import { describe, expect, it } from "vitest";

import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { decidePush, type LiveCode } from "#domain/pushes/decide-push.ts";
import { headlineOf, type Push, readRef } from "#domain/pushes/push.ts";

const LIVE = "1111111111111111111111111111111111111111";
const SKIPPED = "2222222222222222222222222222222222222222";
const TIP = "3333333333333333333333333333333333333333";

const push: Push = {
  ref: "refs/heads/main",
  before: LIVE,
  after: TIP,
  message: "Show prices",
  pusher: "alice",
  paths: ["apps/shop/prices.ts", "docs/prices.md"],
};
const tag: Push = { ...push, ref: "refs/tags/v1.2", before: null, paths: null };
const live: LiveCode = { commit: LIVE, sameAs: new Set([SKIPPED]) };

function decide(
  deployOn: Partial<DeployOn>,
  changes: Partial<Push> = {},
  { live: code = live, asked = false } = {},
) {
  return decidePush(
    { deployOn: DeployOn.parse(deployOn), branch: "main" },
    { ...push, ...changes },
    code,
    asked,
  );
}

const deployed = { decision: "deployed", reason: null, detail: null };
const ignored = (reason: string, detail: string) => ({ decision: "ignored", reason, detail });

describe("a push to a branch", () => {
  it("is deployed if it is the project's branch, unless patterns say otherwise", () => {
    expect(decide({})).toEqual(deployed);
    const other = { ref: "refs/heads/release/2" };
    expect(decide({}, other)).toEqual(
      ignored("branch_not_watched", "The branch release/2 is not selected. The project deploys main."),
    );
    expect(decide({ branches: ["release/*"] }, other)).toEqual(deployed);
    expect(decide({ branches: ["release/*"] })).toMatchObject({ reason: "branch_not_watched" });
    expect(decide({ branches: [] })).toEqual(
      ignored("branch_not_watched", "The branch main is not selected. The project deploys no branches."),
    );
  });

  it.each(["-x", "a..b", "a b", "\u0007", "a".repeat(245)])(
    "is ignored if the agent would not read the name %j, which patterns may select",
    (name) => {
      const rules = { branches: ["**"], tags: ["**"] };
      expect(decide(rules, { ref: `refs/heads/${name}` })).toMatchObject({ reason: "not_a_push" });
      expect(decide(rules, { ref: `refs/tags/${name}` })).toMatchObject({ reason: "not_a_push" });
    },
  );

  it("does not read the project's branch as a pattern", () => {
    const rules = { deployOn: DeployOn.parse({}), branch: "!main" };
    expect(decidePush(rules, { ...push, ref: "refs/heads/!main" }, live, false)).toEqual(deployed);
  });

  it("is ignored if it deletes the branch, or if the project deploys none", () => {
    expect(decide({}, { after: null })).toEqual(ignored("ref_deleted", "The branch main was deleted."));
    expect(decide({ enabled: false })).toMatchObject({ reason: "disabled" });
  });

  it("is skipped by a marker in the last commit's message, unless a person asks for it", () => {
    const message = "Update the docs\n\n[skip deploy]";
    expect(decide({}, { message })).toEqual(
      ignored("skip_marker", "The message of the last commit contains [skip deploy]."),
    );
    expect(decide({}, { message }, { asked: true })).toEqual(deployed);
    expect(decide({}, { message: "[skip ci]" })).toEqual(deployed);
    expect(decide({ skip_markers: ["[skip ci]"] }, { message: "[skip ci]" })).toMatchObject({
      reason: "skip_marker",
    });
    expect(decide({}, { message: null })).toEqual(deployed);
  });
});

describe("a push to a tag", () => {
  it("is deployed if a pattern selects the tag, whatever its name", () => {
    expect(decide({}, tag)).toEqual(
      ignored("tag_not_watched", "The tag v1.2 is not selected. The project deploys no tags."),
    );
    expect(decide({ tags: ["v*"] }, tag)).toEqual(deployed);
    expect(decide({ tags: ["v*"] }, { ...tag, ref: "refs/tags/main" })).toMatchObject({
      reason: "tag_not_watched",
    });
  });

  it("is skipped by no marker and no paths", () => {
    expect(decide({ tags: ["**"], paths: ["src"] }, { ...tag, message: "[skip deploy]" })).toEqual(deployed);
  });

  it("is no push to a branch of the same name", () => {
    expect(readRef("refs/tags/main")).toEqual({ kind: "tag", name: "main" });
    expect(decide({}, { ref: "refs/tags/main" })).toMatchObject({ reason: "tag_not_watched" });
    expect(decide({ branches: ["**"] }, { ref: "refs/notes/commits" })).toEqual(
      ignored("not_a_push", "refs/notes/commits is neither a branch nor a tag."),
    );
  });
});

describe("paths", () => {
  const paths = ["apps/blog"];

  it("skip a push that changes no file that counts", () => {
    expect(decide({ paths })).toEqual(
      ignored("paths_unchanged", "The 2 changed files do not count according to the project's paths."),
    );
    expect(decide({ paths: ["apps/shop"] })).toEqual(deployed);
    expect(decide({ ignore_paths: ["docs", "**/*.ts"] })).toMatchObject({ reason: "paths_unchanged" });
    expect(decide({ ignore_paths: ["docs"] })).toEqual(deployed);
    expect(decide({ paths: ["apps"], ignore_paths: ["apps/shop/**"] }, { paths: ["apps/shop/a"] })).toEqual(
      ignored(
        "paths_unchanged",
        "The changed file apps/shop/a does not count according to the project's paths.",
      ),
    );
  });

  it("skip nothing if a changed file may be missing in the list", () => {
    expect(decide({ paths }, { paths: null })).toMatchObject({
      decision: "deployed",
      reason: "paths_incomplete",
    });
  });

  it("skip nothing unless the push begins at what is live", () => {
    const begins = (before: string | null, code = live) => decide({ paths }, { before }, { live: code });
    expect(begins(TIP)).toMatchObject({ decision: "deployed", reason: "paths_not_comparable" });
    expect(begins(null)).toMatchObject({ decision: "deployed", reason: "paths_not_comparable" });
    const nothing = { commit: null, sameAs: new Set<string>() };
    expect(begins(null, nothing)).toMatchObject({ reason: "paths_not_comparable" });
  });

  it("skip a push after pushes that they skipped", () => {
    expect(decide({ paths }, { before: SKIPPED })).toMatchObject({ reason: "paths_unchanged" });
  });
});

it.each([
  ["Show prices\n\nwith tax", "Show prices"],
  ["\n  Show prices  \r\nmore", "Show prices"],
  ["", null],
  [null, null],
])("shows the first line of the message %j", (message, headline) => {
  expect(headlineOf(message)).toBe(headline);
});
