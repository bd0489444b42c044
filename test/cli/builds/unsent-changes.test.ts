import { describe, expect, it } from "vitest";

import { unsentText } from "#cli/builds/unsent-changes.ts";

const ahead = "# branch.oid 1234\n# branch.head main\n# branch.upstream origin/main\n# branch.ab +2 -0\n";
const even = "# branch.oid 1234\n# branch.head main\n# branch.upstream origin/main\n# branch.ab +0 -3\n";
const changed = "1 .M N... 100644 100644 100644 1234 1234 index.html\n";

describe("what a deployment does not get from this folder", () => {
  it.each([
    ["nothing, if all is pushed", even, null, null],
    ["changed files", even + changed, null, "Not deployed: changes of 1 file are not committed."],
    ["commits", ahead, null, "Not deployed: 2 commits of main are not pushed."],
    [
      "both, for the named branch",
      ahead + changed + changed,
      "main",
      "Not deployed: changes of 2 files are not committed, and 2 commits of main are not pushed.",
    ],
    ["nothing of another branch", ahead + changed, "next", null],
    ["nothing of a branch without a remote one", "# branch.head main\n", null, null],
  ])("is %s", (_, status, branch, text) => {
    expect(unsentText(status, branch)).toBe(text);
  });
});
