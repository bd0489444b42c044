import { expect, it } from "vitest";

import { abbreviateCommit } from "#contract/abbreviate-commit.ts";

it("a commit has 7 digits, and the digest of an image has 12", () => {
  expect(abbreviateCommit("0123456789".repeat(4))).toBe("0123456");
  expect(abbreviateCommit("0123456789abcdef".repeat(4))).toBe("0123456789ab");
  expect(abbreviateCommit("0123456")).toBe("0123456");
  expect(abbreviateCommit("")).toBe("");
});
