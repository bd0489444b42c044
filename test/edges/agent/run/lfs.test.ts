import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isExcluded, readExcludes } from "#agent/run/fetch/lfs-excludes.ts";

import { createCertificate, serveGit } from "../../../support/git-server.ts";
import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { watchProcesses } from "../../../agent/support/process-watch.ts";
import { createRepository } from "../../../agent/support/repository.ts";

const CONTENT = "the picture itself\n";
const OID = createHash("sha256").update(CONTENT).digest("hex");
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${OID}\nsize ${CONTENT.length}\n`;
const ATTRIBUTES = "*.png filter=lfs diff=lfs merge=lfs -text\n";
const LOGIN = "bot:ghp_lfs3456789abcdefghij";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  // Commits pointers unchanged: a Git LFS on this machine must not process them.
  for (const part of ["clean", "smudge", "process"]) world.repository.git("config", `filter.lfs.${part}`, "");
  world.repository.git("config", "filter.lfs.required", "false");
});
afterEach(() => world.close());

/** An environment in which git has no Git LFS, even if this machine has it. */
function environment(config = '[filter "lfs"]\n\tprocess =\n\tsmudge =\n\tclean =\n\trequired = false\n') {
  writeFileSync(join(world.folder, ".gitconfig"), config);
  return { PATH: process.env["PATH"], HOME: world.folder };
}

describe("files in Git LFS, on a server without it", () => {
  it("fail the deployment, and the failure names them and the package to install", async () => {
    world.repository.commit({
      ".gitattributes": ATTRIBUTES,
      "index.html": "page",
      "img/a.png": POINTER,
      "b.png": "really a picture",
    });
    await world.startAgent({}, undefined, environment());
    const { result } = await world.deploy();
    expect(result).toEqual({
      outcome: "failed",
      failure: {
        code: "fetch_failed",
        stage: "fetch",
        message:
          "the repository keeps img/a.png in Git LFS, and they were not fetched. Install Git LFS on the server: `apt-get install git-lfs`, then `git lfs install --system`",
      },
    });
    expect(world.current).toBeNull();
  });

  it("are found by the attributes of any folder, and counted when there are many", async () => {
    const many = Array.from({ length: 9 }, (_, index) => [`media/${index}.bin`, POINTER]);
    world.repository.commit({ "media/.gitattributes": "*.bin filter=lfs\n", ...Object.fromEntries(many) });
    await world.startAgent({}, undefined, environment());
    const { result } = await world.deploy();
    expect(JSON.stringify(result)).toContain("media/3.bin, media/4.bin, and 4 more in Git LFS");
  });

  it("are explained by the policy when it limits repositories", async () => {
    world.repository.commit({ ".gitattributes": ATTRIBUTES, "a.png": POINTER });
    world.policy = { repositories: [world.repository.path] };
    await world.startAgent({}, undefined, environment());
    const { result } = await world.deploy();
    expect(result).toMatchObject({
      failure: {
        code: "refused_by_policy",
        stage: "fetch",
        message: expect.stringMatching(
          /policy \(repositories\) does not allow Git LFS.* keeps a\.png in LFS$/,
        ),
      },
    });
  });

  it("can stay pointers when the repository excludes them from fetching, and the log says so", async () => {
    world.repository.commit({
      ".gitattributes": ATTRIBUTES,
      ".lfsconfig": "[lfs]\n\tfetchexclude = design, *.psd\n",
      "design/a.png": POINTER,
    });
    await world.startAgent({}, undefined, environment());
    const { result, run } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run)).toContainEqual(
      expect.stringMatching(/^Git LFS files that \.lfsconfig excludes: 1 \(/),
    );
  });

  it("are not looked for through symbolic links, which can lead to a pipe without a writer", async () => {
    const pipe = join(world.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    world.repository.commit({ ".gitattributes": ATTRIBUTES, "index.html": "page", "a.png": { link: pipe } });
    await world.startAgent({}, undefined, environment());
    try {
      // The link itself is refused, after the fetch.
      expect((await world.deploy()).result).toMatchObject({ failure: { stage: "build" } });
    } finally {
      // Ends a thread of this process that waits for the pipe.
      closeSync(openSync(pipe, "r+"));
    }
  });

  it("are not detected in a file that only contains the text of a pointer", async () => {
    world.repository.commit({ "docs/pointer.txt": POINTER });
    await world.startAgent({}, undefined, environment());
    const { result, run } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run)).toContainEqual(
      expect.stringMatching(
        /^warning: docs\/pointer\.txt is a pointer of Git LFS, which is deployed as a text, because no \.gitattributes says so/,
      ),
    );
  });
});

describe("files in Git LFS, on a server with it", () => {
  /** Answers like the LFS server of a repository. */
  function answerLfs(origin: () => string) {
    return (request: IncomingMessage, response: ServerResponse): boolean => {
      const url = request.url ?? "";
      if (url.startsWith("/objects/")) {
        if (url === `/objects/${OID}`) response.end(CONTENT);
        else response.writeHead(404).end();
        return true;
      }
      if (!url.endsWith("/info/lfs/objects/batch")) return false;
      const isLoggedIn = request.headers.authorization === `Basic ${Buffer.from(LOGIN).toString("base64")}`;
      if (!isLoggedIn) {
        response.writeHead(401, { "lfs-authenticate": 'Basic realm="lfs"' }).end();
        return true;
      }
      const actions = { download: { href: `${origin()}/objects/${OID}` } };
      response.setHeader("content-type", "application/vnd.git-lfs+json");
      response.end(
        JSON.stringify({ transfer: "basic", objects: [{ oid: OID, size: CONTENT.length, actions }] }),
      );
      return true;
    };
  }

  it("are fetched with the repository's login, which appears in no command line", async () => {
    world.repository.commit({ ".gitattributes": ATTRIBUTES, "a.png": POINTER });
    const certificate = createCertificate(world.folder);
    let origin = "";
    const intercept = answerLfs(() => origin);
    const server = await serveGit({
      certificate,
      folder: world.folder,
      login: LOGIN,
      delayMs: 50,
      intercept,
    });
    origin = server.origin;
    const env = environment(`[http]\n\tsslCAInfo = ${certificate.cert}\n`);
    execFileSync("git", ["lfs", "install", "--skip-repo"], { env, stdio: "ignore" });
    await world.startAgent({}, undefined, env);
    const watch = watchProcesses();
    const order = { source: { repository: server.url("repository", LOGIN), branch: "main", commit: null } };
    const { result } = await world.deploy(order);
    const lines = watch.stop();
    expect(result).toMatchObject({ outcome: "live" });
    expect(world.read("current/a.png")).toBe(CONTENT);
    expect(lines.some((line) => line.includes("git-lfs"))).toBe(true);
    expect(lines.filter((line) => line.includes("ghp_lfs"))).toEqual([]);
    server.close();
  });

  it("are not read from a repository on the server that another repository names", async () => {
    const victim = createRepository(join(world.folder, "victim"));
    victim.commit({ "index.html": "victim" });
    const objects = join(victim.path, ".git/lfs/objects", OID.slice(0, 2), OID.slice(2, 4));
    mkdirSync(objects, { recursive: true });
    writeFileSync(join(objects, OID), CONTENT);
    const certificate = createCertificate(world.folder);
    const server = await serveGit({ certificate, folder: world.folder, login: null });
    const env = environment(
      `[http]\n\tsslCAInfo = ${certificate.cert}\n[lfs "transfer"]\n\tmaxretries = 1\n`,
    );
    execFileSync("git", ["lfs", "install", "--skip-repo"], { env, stdio: "ignore" });
    await world.startAgent({}, undefined, env);
    const source = { repository: server.url("repository"), branch: "main", commit: null };
    for (const url of [victim.path, `file://${victim.path}`, `file://localhost${victim.path}`]) {
      world.repository.commit({
        ".lfsconfig": `[lfs]\n\turl = ${url}\n`,
        ".gitattributes": ATTRIBUTES,
        "a.png": POINTER,
      });
      expect((await world.deploy({ source })).result).toMatchObject({ failure: { code: "fetch_failed" } });
    }
    server.close();
  });

  it("fail the deployment when they cannot be fetched, and the mirror stays", async () => {
    world.repository.commit({ "index.html": "page" });
    await world.startAgent(
      {},
      undefined,
      environment('[filter "lfs"]\n\tsmudge = false\n\tprocess =\n\trequired = true\n'),
    );
    await world.deploy();
    const mark = world.path("mirror.git/mark");
    writeFileSync(mark, "");
    world.repository.commit({ ".gitattributes": ATTRIBUTES, "a.png": POINTER });
    const { result } = await world.deploy();
    expect(result).toMatchObject({
      failure: {
        code: "fetch_failed",
        message: expect.stringMatching(/smudge filter lfs failed\. .*git lfs push --all origin/),
      },
    });
    expect(existsSync(mark)).toBe(true);
    expect(readFileSync(world.path("current/index.html"), "utf8")).toBe("page");
  });
});

describe("the exclusions in .lfsconfig", () => {
  it.each([
    ["design", "design/a.png", true],
    ["design", "old/design/a.png", true],
    ["/design", "old/design/a.png", false],
    ["design/", "design/a.png", true],
    ["*.psd", "a/b.psd", true],
    ["*.psd", "a/b.psdx", false],
    ["a/**/c.bin", "a/x/y/c.bin", true],
    ["a/*.bin", "a/x/c.bin", false],
    ["*", "any/thing", true],
    ["x, y", "y", true],
    ["", "y", false],
    ["a(b", "a(b", true],
    ["**/b", "b", true],
    ["a/**", "a/b/c", true],
    ["a/**", "b/a/c", false],
    ["a?c", "x/abc/d", true],
    ["a?c", "a/c", false],
    ["x.png/y", "x.png", false],
    ["*a*b", "xaxb/c", true],
  ])("%j stands for %s: %s", (setting, path, isOne) => {
    expect(isExcluded(path, readExcludes(setting))).toBe(isOne);
  });

  it.each(["**/".repeat(500), "*a".repeat(500), "**a".repeat(500), "a,".repeat(1e6)])(
    "are evaluated quickly, however they are written (%#)",
    (pattern) => {
      const startedAt = process.cpuUsage();
      expect(isExcluded(`${"a/".repeat(200)}${"a".repeat(200)}`, readExcludes(`${pattern}z`))).toBe(
        pattern.startsWith("a,"),
      );
      // CPU time, which other programs on the machine do not lengthen.
      expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
    },
  );
});
