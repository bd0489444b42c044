import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { packageVersion } from "../../../scripts/shared/package-version.ts";
import { root } from "../../../scripts/shared/root.ts";
import { decideRelease, type RepositoryState } from "../../../scripts/packages/release-packages.ts";
import { withVersion } from "../../../scripts/packages/versions.ts";

const state: RepositoryState = { version: "0.2.0", changed: [], tags: ["v0.2.0"], subject: "worker: add x" };

describe("a release", () => {
  it.each([
    ["of the next version", "0.3.0", {}, { kind: "prepare" }],
    ["of a candidate", "0.3.0-rc.1", {}, { kind: "prepare" }],
    [
      "that was stopped before its tag",
      "0.3.0",
      { version: "0.3.0", subject: "release: version 0.3.0" },
      { kind: "tag" },
    ],
  ])("%s is made", (_, version, more, expected) =>
    expect(decideRelease(version, { ...state, ...more })).toEqual(expected),
  );

  it.each([
    ["of no version", "v0.3.0", {}, "is not a version"],
    ["of the current version", "0.2.0", { tags: [] }, "is not newer"],
    ["of an older version", "0.1.9", {}, "is not newer"],
    ["of a candidate of the current version", "0.2.0-rc.1", {}, "is not newer"],
    ["of a version with a tag", "0.3.0", { tags: ["v0.3.0"] }, "The tag v0.3.0 exists"],
    ["of a changed tree", "0.3.0", { changed: [" M README.md"] }, "README.md"],
  ])("%s is refused", (_, version, more, reason) =>
    expect(decideRelease(version, { ...state, ...more })).toEqual({
      kind: "refuse",
      reason: expect.stringContaining(reason),
    }),
  );

  it("sets the version of Gantry, and of nothing else", () => {
    const lock = '{\n  "name": "gantry",\n  "version": "0.2.0",\n "other": {\n "version": "0.2.0" }';
    expect(withVersion("package-lock.json", lock, "0.2.0", "0.3.0")).toBe(
      '{\n  "name": "gantry",\n  "version": "0.3.0",\n "other": {\n "version": "0.2.0" }',
    );
    expect(withVersion("docs/ci.md", "From 0.2.0 on, gantry-0.2.0.tgz", "0.2.0", "0.3.0")).toBe(
      "From 0.2.0 on, gantry-0.3.0.tgz",
    );
  });
});

describe("a release of this repository", () => {
  let clone: string;
  let before: string;
  const git = (...words: string[]) => execFileSync("git", words, { cwd: clone, encoding: "utf8" });
  const read = (name: string) => readFileSync(join(clone, name), "utf8");

  /** Runs the script of the copy. @returns its exit code and what it prints */
  function run(code: string) {
    try {
      const script = `const { prepareRelease } = await import("./scripts/packages/release-packages.ts"); ${code}`;
      const options = { cwd: clone, encoding: "utf8", stdio: "pipe" } as const;
      return execFileSync(process.execPath, ["--input-type=module", "-e", script], options);
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  }
  const prepare = (version: string, check: number) =>
    run(
      `await prepareRelease("${version}", "2026-12-01", async () => ({ code: ${check}, output: "types" }))`,
    );

  beforeAll(async () => {
    clone = mkdtempSync(join(tmpdir(), "gantry-release-"));
    const names = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"], {
      cwd: root,
      encoding: "utf8",
    });
    for (const name of names.split("\0").filter((one) => one !== "" && !one.startsWith("test/"))) {
      mkdirSync(join(clone, dirname(name)), { recursive: true });
      cpSync(join(root, name), join(clone, name));
    }
    symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
    git("init", "--quiet", "--initial-branch=main");
    for (const [name, value] of [
      ["user.name", "Test"],
      ["user.email", "test@localhost"],
      ["commit.gpgsign", "false"],
    ])
      git("config", `${name}`, `${value}`);
    writeFileSync(join(clone, ".git", "info", "exclude"), "node_modules\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", "all");
    before = git("rev-parse", "HEAD");
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it("leaves everything as it was if it is refused or a check fails", async () => {
    expect(prepare("0.0.1", 0)).toContain("is not newer than the version");
    expect(prepare("99.0.0", 1)).toContain("The checks failed:\ntypes");
    writeFileSync(join(clone, "new.txt"), "");
    expect(prepare("99.0.0", 0)).toContain("Commit or remove your changes first: ?? new.txt");
    rmSync(join(clone, "new.txt"));
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag")]).toEqual([before, "", ""]);
  });

  it("neither publishes nor removes what somebody changes while the checks run", () => {
    const name = "README.md";
    const text = read(name);
    for (const code of [0, 1]) {
      writeFileSync(join(clone, name), text);
      expect(
        run(
          `const check = async () => { (await import("node:fs")).writeFileSync("${name}", "mine"); return { code: ${code}, output: "types" }; };
           await prepareRelease("99.0.0", "2026-12-01", check)`,
        ),
      ).toContain(code === 0 ? "README.md was changed while the checks ran" : "The checks failed");
    }
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain")]).toEqual([before, ` M ${name}\n`]);
    expect(read(name)).toBe("mine");
    writeFileSync(join(clone, name), text);
  });

  it("has the version in all files, the changelog and the tag", async () => {
    const from = await packageVersion();
    expect(prepare("99.0.0", 0)).toContain("git push --atomic origin HEAD v99.0.0");
    expect(git("log", "--format=%s", "-1").trim()).toBe("release: version 99.0.0");
    expect([git("status", "--porcelain"), git("describe")]).toEqual(["", "v99.0.0\n"]);
    expect(read("CHANGELOG.md")).toMatch(/^## \[Unreleased\]\n\n## \[99\.0\.0\] - 2026-12-01\n\n### /m);
    expect(JSON.parse(read("package-lock.json")).packages[""].version).toBe("99.0.0");
    for (const name of [
      "package.json",
      "src/cli/version.ts",
      "src/agent/context/version.ts",
      "action/shared.js",
    ])
      expect(read(name)).toContain('"99.0.0"');
    expect(read("docs/command.md")).not.toContain(`gantry-${from}.tgz`);
    // An earlier call that was stopped before the tag has left this.
    git("tag", "--delete", "v99.0.0");
    expect(prepare("99.0.0", 1)).toContain("Tagged v99.0.0.");
    expect(prepare("99.0.0", 0)).toContain("The tag v99.0.0 exists");
  });
});
