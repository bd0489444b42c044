import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { createRepository } from "../../../agent/support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe("submodules", () => {
  it("with an address that runs a command are refused", async () => {
    const sha = world.repository.commit({ "index.html": "one" });
    writeFileSync(
      join(world.repository.path, ".gitmodules"),
      '[submodule "evil"]\n\tpath = evil\n\turl = "ext::touch hacked"\n',
    );
    world.repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},evil`);
    world.repository.git("add", ".gitmodules");
    world.repository.git("commit", "--quiet", "--message=evil");
    await world.startAgent();
    const { result } = await world.deploy();
    expect(result).toMatchObject({
      failure: { code: "fetch_failed", message: expect.stringMatching(/^submodule evil: its address/) },
    });
    expect(world.has("releases/1")).toBe(false);
  });

  it("fail the deployment when their commit is missing, and name the repository", async () => {
    const library = createRepository(join(world.folder, "library"));
    library.commit({ "lib.txt": "lib" });
    writeFileSync(
      join(world.repository.path, ".gitmodules"),
      '[submodule "lib"]\n\tpath = lib\n\turl = ../library\n',
    );
    world.repository.git("update-index", "--add", "--cacheinfo", `160000,${"ab".repeat(20)},lib`);
    world.repository.git("add", ".gitmodules");
    world.repository.git("commit", "--quiet", "--message=lost");
    await world.startAgent();
    const { result } = await world.deploy();
    expect(result).toMatchObject({
      failure: {
        code: "ref_not_found",
        message: expect.stringMatching(/^submodule lib: there is no commit .*library$/),
        hint: "Push the commit abababababab of the submodule, or let the repository use a pushed commit.",
      },
    });
    expect(readFileSync(join(world.folder, "library/lib.txt"), "utf8")).toBe("lib");
  });

  /** Commits a submodule without its address. */
  const addGitlink = (path: string, gitmodules?: string | Buffer) => {
    const sha = world.repository.commit({ "index.html": "one" });
    if (gitmodules !== undefined) {
      writeFileSync(join(world.repository.path, ".gitmodules"), gitmodules);
      world.repository.git("add", ".gitmodules");
    }
    world.repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},${path}`);
    world.repository.git("commit", "--quiet", "--message=a submodule");
  };

  it.each([
    [
      undefined,
      "the repository has the submodule `themes/hugo-book`, and no .gitmodules that says where to fetch it from",
      "If it is a submodule, run `git submodule add --force ADDRESS themes/hugo-book`. If its files belong to this repository, delete themes/hugo-book/.git, and run `git rm --cached themes/hugo-book` and `git add themes/hugo-book`. Then commit.",
    ],
    [
      '[submodule "book"]\n\tpath = theme/hugo-book\n\turl = ../book\n',
      ".gitmodules does not say where to fetch the submodule `themes/hugo-book` from: it has `theme/hugo-book`",
      "Correct `path = theme/hugo-book` in .gitmodules to `path = themes/hugo-book`, and commit it.",
    ],
    [
      "",
      ".gitmodules does not say where to fetch the submodule `themes/hugo-book` from: it has no entry with a path",
      expect.stringContaining("git submodule add --force ADDRESS"),
    ],
    [
      '[submodule "book"]\n\tpath = themes/hugo-book\n',
      "the entry `book` of .gitmodules has no url, so the submodule `themes/hugo-book` cannot be fetched",
      "Add a line `url = ADDRESS` to the entry, and commit .gitmodules.",
    ],
    [
      Buffer.from('\uFEFF[submodule "book"]\n', "utf16le"),
      ".gitmodules cannot be read: line 1 is encoded in UTF-16",
      expect.stringContaining("Save .gitmodules as UTF-8"),
    ],
    [
      '[submodule "book"]\n\tpath = themes/hugo-book\n<<<<<<< HEAD\n',
      expect.stringMatching(/^reading \.gitmodules failed: .* bad config line 3 in blob/),
      undefined,
    ],
  ])("without an address fail the deployment with their path: %j", async (gitmodules, message, hint) => {
    addGitlink("themes/hugo-book", gitmodules);
    await world.startAgent();
    const { failure } = await failed();
    expect(failure).toMatchObject({ code: "fetch_failed", stage: "fetch", message });
    expect(failure.hint).toEqual(hint);
    expect(world.has("releases/1")).toBe(false);
  });

  it("without an address are named by their whole path in a submodule", async () => {
    const library = createRepository(join(world.folder, "library"));
    const sha = library.commit({ "lib.txt": "lib" });
    library.git("update-index", "--add", "--cacheinfo", `160000,${sha},deep`);
    library.git("commit", "--quiet", "--message=lost");
    world.repository.commit({ "index.html": "one" });
    const allow = ["-c", "protocol.file.allow=always"];
    world.repository.git(...allow, "submodule", "--quiet", "add", library.path, "lib");
    world.repository.commit({});
    await world.startAgent();
    expect((await failed()).failure.message).toMatch(
      /^submodule lib: the repository has the submodule `deep`/,
    );
  });

  it("are left out if .gitmodules has update = none for them, as in a clone", async () => {
    addGitlink("private", '[submodule "p"]\n\tpath = private\n\turl = /nowhere\n\tupdate = none\n');
    await world.startAgent();
    const { run, result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system")).toContainEqual(
      expect.stringMatching(/^left out the submodule private: \.gitmodules has update = none for it/),
    );
  });

  async function failed() {
    const { result } = await world.deploy();
    if (result.outcome !== "failed") throw new Error(JSON.stringify(result));
    return result;
  }
});
