import { describe, expect, it } from "vitest";

import { defaultBranch } from "../../scripts/start/repository.ts";

describe("npm start with a repository that git cannot read", () => {
  it.each([
    ["a password", "https://me:s3cretword@127.0.0.1:1/shop.git", "https://me:***@127.0.0.1:1/shop.git"],
    ["a token", "https://ghp_s3cret0123456789@127.0.0.1:1/shop.git", "https://***@127.0.0.1:1/shop.git"],
    [
      "a password for a scheme unknown to git",
      "vault://me:s3cretword@127.0.0.1/x",
      "vault://me:***@127.0.0.1/x",
    ],
  ])("prints an error without %s", async (_what, repository, shown) => {
    const message = await defaultBranch(repository).then(String, String);
    expect(message).toContain(`git cannot read the repository ${shown}:`);
    expect(message).toContain("Check --repo");
    expect(message).not.toContain("s3cret");
  });
});
