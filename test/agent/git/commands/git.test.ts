import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { gitEnvironment } from "#agent/git/commands/git-environment.ts";
import { readIndexGitlinks } from "#agent/run/fetch/index-gitlinks.ts";
import { readGitlinks } from "#build/commands/read-gitlinks.ts";
import { readSubmoduleEntries } from "#build/commands/read-submodules.ts";
import { commandEnvironment } from "#build/commands/environment.ts";
import * as graphCommands from "#agent/git/commands/commit-graph.ts";
import { fetchGraph, listCommits, mergeBase } from "#agent/git/commands/commit-graph.ts";
import * as gitCommands from "#agent/git/commands/git.ts";
import { exportCommit, fetchTip, type GitPlace, listRefs } from "#agent/git/commands/git.ts";
import * as exportCommands from "#build/commands/export-tree.ts";
import type { Command } from "#build/process/command.ts";
import { chooseRef, readCommit, readRefs, errorLine } from "#agent/git/commands/read-git-output.ts";

const place: GitPlace = {
  gitDir: "/p/mirror.git",
  remote: "https://me:secret@example.com/x.git",
  uploadPack: null,
  isConfined: false,
  env: { PATH: "/bin" },
};

describe("a git command", () => {
  it("has neither the repository's URL nor its login as an argument", () => {
    const command = listRefs(place, ["refs/heads/main"]);
    expect(command.argv).toEqual([
      "git",
      "--git-dir=/p/mirror.git",
      "ls-remote",
      "--heads",
      "--tags",
      "--exit-code",
      "source",
      "refs/heads/main",
    ]);
    expect(Object.values(command.env)).toContain("https://example.com/x.git");
  });

  it("runs no hooks, never prompts, and uses no protocol that runs commands", () => {
    const { env } = fetchTip(place, "refs/heads/main", true);
    expect(env["GIT_ALLOW_PROTOCOL"]).toBe("https:ssh");
    expect(fetchTip({ ...place, uploadPack: "git upload-pack" }, "x", true).env["GIT_ALLOW_PROTOCOL"]).toBe(
      "file:https:ssh",
    );
    const count = Number(env["GIT_CONFIG_COUNT"]);
    const config = Array.from({ length: count }, (_, index) => [
      env[`GIT_CONFIG_KEY_${index}`],
      env[`GIT_CONFIG_VALUE_${index}`],
    ]);
    expect(config).toContainEqual(["core.hooksPath", "/dev/null"]);
    expect(gitEnvironment({}, "run_1")["GIT_TERMINAL_PROMPT"]).toBe("0");
    expect(gitEnvironment({}, "run_1")["GIT_SSH_COMMAND"]).toBe("ssh -o BatchMode=yes");
  });

  it("prints English messages, which the agent recognizes, whatever the server's language is", () => {
    const own = { LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" };
    expect(gitEnvironment(own, "run_1")).toMatchObject({ LC_ALL: "C" });
  });

  it("that reads a history cannot reach a server, even if objects are missing", () => {
    for (const command of [
      listCommits({ ...place, uploadPack: "git upload-pack" }, ["refs/gantry/heads/main"]),
      mergeBase({ ...place, uploadPack: "git upload-pack" }, "a".repeat(40), ["b".repeat(40)]),
    ]) {
      expect(Object.values(command.env)).not.toContain(place.remote);
      expect(command.env["GIT_ALLOW_PROTOCOL"]).toBe("https:ssh");
    }
    expect(gitEnvironment({}, "run_1")).toMatchObject({
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_GRAFT_FILE: "/dev/null/none",
    });
  });

  it("that fetches a history requests commits only, always with a depth", () => {
    const recent = fetchGraph(place, 500).argv;
    expect(recent).toEqual(expect.arrayContaining(["--filter=tree:0", "--depth=500", "--prune"]));
    expect(recent.join(" ")).not.toContain("--upload-pack");
    expect(fetchGraph(place, null).argv).toContain("--depth=2147483647");
  });

  it("fetches only the missing objects into a mirror with shallow histories", () => {
    expect(fetchTip(place, "refs/tags/v1", true).argv.slice(-3)).toEqual([
      "--depth=1",
      "source",
      "+refs/tags/v1:refs/gantry/tip",
    ]);
    expect(fetchTip(place, "refs/tags/v1", false).argv).not.toContain("--depth=1");
  });

  it("writes a tree with its own index", () => {
    const command = exportCommit(place, "/p/releases/1", "a".repeat(40), "/p/tmp/index");
    expect(command.cwd).toBe("/p/releases/1");
    expect(command.env["GIT_INDEX_FILE"]).toBe("/p/tmp/index");
  });
});

type Modules = typeof gitCommands & typeof graphCommands & typeof exportCommands;
/** The names of all functions that build a git command. */
type Builder = {
  [Name in keyof Modules]: Modules[Name] extends (...args: never[]) => Command ? Name : never;
}[keyof Modules];

const commit = "a".repeat(40);
const local: GitPlace = { ...place, remote: "/srv/shop", uploadPack: "git upload-pack" };
/** Every git command of the agent. A new one does not compile without a row. */
const commands: Readonly<Record<Builder, Command>> = {
  git: gitCommands.git(local, ["gc"]),
  initMirror: gitCommands.initMirror(local, "sha1"),
  listRemote: gitCommands.listRemote(local, "/p/git-ssh/test-1", []),
  listRemoteBranches: gitCommands.listRemoteBranches(local, "/p/git-ssh/test-1"),
  listRefs: listRefs(local, []),
  listBranches: gitCommands.listBranches(local),
  fetchTip: fetchTip(local, "refs/heads/main", true),
  fetchAll: gitCommands.fetchAll(local, true),
  showCommit: gitCommands.showCommit(local, commit),
  exportCommit: exportCommit(local, "/p/releases/1", commit, "/p/tmp/index"),
  exportTree: exportCommit(local, "/p/releases/1", commit, "/p/tmp/index"),
  listLfsFiles: gitCommands.listLfsFiles(local, "/p/releases/1", "/p/tmp/index"),
  readLfsExcludes: gitCommands.readLfsExcludes(local, commit),
  readSubmoduleConfig: gitCommands.readSubmoduleConfig(local, commit),
  listChanges: gitCommands.listChanges(local, commit, commit),
  checkMirror: gitCommands.checkMirror(local),
  packMirror: gitCommands.packMirror(local),
  fetchGraph: fetchGraph(local, null),
  fetchCommitAlone: graphCommands.fetchCommitAlone(local, "refs/heads/main"),
  removePromisor: graphCommands.removePromisor(local),
  listGraphRefs: graphCommands.listGraphRefs(local),
  listCommits: listCommits(local, [commit]),
  listObjects: graphCommands.listObjects(local, "abcdef0"),
  mergeBase: mergeBase(local, commit, [commit]),
};

describe.each(Object.entries(commands))("the git command %s", (name, { argv, cwd, env }) => {
  const count = Number(env["GIT_CONFIG_COUNT"]);
  const config = new Map(
    Array.from({ length: count }, (_, at) => [env[`GIT_CONFIG_KEY_${at}`], env[`GIT_CONFIG_VALUE_${at}`]]),
  );

  it("has the settings that keep a repository from running anything", () => {
    expect(argv[0]).toBe("git");
    for (const [key, value] of exportCommands.fixedConfig)
      expect([key, config.get(key)]).toEqual([key, value]);
    expect(config.get("core.hooksPath")).toBe("/dev/null");
    expect(config.get("core.fsmonitor")).toBe("false");
    expect(env["GIT_ALLOW_PROTOCOL"]).toMatch(/^(?:file:)?https:ssh$/);
  });

  it("starts in a folder that means the same to every project, or writes to its folder by full paths", () => {
    const writes = ["exportCommit", "exportTree", "listLfsFiles"].includes(name);
    expect(cwd).toBe(writes ? "/p/releases/1" : name.startsWith("listRemote") ? "/p/git-ssh/test-1" : "/");
  });

  it("reads a repository on the server only at an address, and only through the given command", () => {
    if (!env["GIT_ALLOW_PROTOCOL"]?.startsWith("file:")) return;
    expect(config.get("remote.source.url")).toBe("file:///srv/shop");
    expect(config.get("remote.source.uploadpack")).toBe("git upload-pack");
    expect(argv.join(" ")).not.toContain("--upload-pack");
  });
});

describe("a command's environment", () => {
  it("contains only listed variables", () => {
    const own = { PATH: "/bin", HOME: "/root", CLOUDFLARE_API_TOKEN: "secret", npm_config_x: "y" };
    expect(commandEnvironment(own, "run_1")).toEqual({
      PATH: "/bin",
      HOME: "/root",
      GANTRY_RUN_ID: "run_1",
    });
  });

  it("contains the proxy and the trusted certificates, both for git and for builds", () => {
    const own = {
      HTTPS_PROXY: "http://proxy:3128",
      NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
      SSL_CERT_FILE: "/etc/all.pem",
      SSL_CERT_DIR: "/etc/certs",
      GIT_SSL_CAINFO: "/etc/git.pem",
    };
    expect(commandEnvironment(own, "run_1")).toEqual({ ...own, GANTRY_RUN_ID: "run_1" });
    expect(gitEnvironment(own, "run_1")).toMatchObject(own);
  });
});

describe("git's output", () => {
  const sha = (digit: string) => digit.repeat(40);

  it("is parsed as refs; a branch comes before a tag, and a tag's commit before the tag itself", () => {
    const output = [
      `${sha("1")}\trefs/heads/x`,
      `${sha("2")}\trefs/tags/x`,
      `${sha("3")}\trefs/tags/x^{}`,
      "warning: something else",
    ].join("\n");
    const refs = readRefs(output);
    expect(refs).toHaveLength(3);
    expect(chooseRef(refs, "x")).toEqual({ ref: "refs/heads/x", sha: sha("1") });
    expect(chooseRef(refs.slice(1), "x")).toEqual({ ref: "refs/tags/x", sha: sha("3") });
    expect(chooseRef(refs.slice(1, 2), "x")).toEqual({ ref: "refs/tags/x", sha: sha("2") });
    expect(chooseRef(refs, "y")).toBeNull();
  });

  it("is parsed as a commit with its message, or as no commit", () => {
    expect(readCommit(`${sha("a")}\0${sha("b")}\0Title\n\nBody\n`)).toEqual({
      tree: sha("b"),
      sha: sha("a"),
      message: "Title\n\nBody",
    });
    expect(readCommit("fatal: bad object")).toBeNull();
  });

  it("is parsed as submodules, even with dots and line breaks in their names", () => {
    const output = [
      "submodule.a.b.path\nlibs/a b",
      "submodule.a.b.url\n../a.git",
      "submodule.half.path\nhalf",
      "submodule.half.update\nnone",
      "submodule.other.url\n../other",
      "",
    ].join("\0");
    expect(readSubmoduleEntries(output)).toEqual([
      { name: "a.b", path: "libs/a b", url: "../a.git", isSkipped: false },
      { name: "half", path: "half", url: null, isSkipped: true },
    ]);
    expect(readGitlinks(`160000 commit ${sha("c")}\tlibs/a b\x00100644 blob ${sha("d")}\tfile\0`)).toEqual(
      new Map([["libs/a b", sha("c")]]),
    );
  });
});

describe("the index of a commit's files", () => {
  it.each(["sha1", "sha256"] as const)("has the commits of its submodules, with hashes of %s", (format) => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-index-"));
    const run = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
    run("init", `--object-format=${format}`);
    run("config", "index.version", "2");
    const links = new Map<string, string>();
    for (const length of [1, 2, 3, 4, 5, 6, 7, 8, 300]) {
      const path = `${"d/".repeat(length)}${"ä".repeat(length % 9)}m`;
      const hash = length.toString(16).padStart(format === "sha1" ? 40 : 64, "e0");
      run("update-index", "--add", "--cacheinfo", `160000,${hash},${path}`);
      links.set(path, hash);
      const file = `file-${"f".repeat(length % 99)}`;
      writeFileSync(join(folder, file), "");
      run("add", file);
    }
    const index = readFileSync(join(folder, ".git/index"));
    expect(readIndexGitlinks(index, format === "sha1" ? 20 : 32)).toEqual(links);
    rmSync(folder, { recursive: true });
  });
});

describe("the reported part of git's errors", () => {
  const advice = [
    "fatal: Could not read from remote repository.",
    "",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "",
  ];

  it.each([
    [["git@github.com: Permission denied (publickey).", ...advice], /^git@github.com: Permission denied/],
    [["Warning: added to known hosts", "ERROR: Repository not found.", ...advice], /^ERROR: Repository/],
    [["fatal: detected dubious ownership", "call:", "", "\tgit config", ...advice], /^fatal: detected/],
    [advice, /^fatal: Could not read from remote/],
    [["remote: Not found.", "fatal: repository 'https://x/' not found", ""], /^fatal: repository/],
    [["error: one", "hint: two"], /^hint: two$/],
    [["", ""], /^$/],
  ])("is the line that says most of %j", (lines, line) => {
    expect(errorLine(lines.join("\n"))).toMatch(line);
  });
});
