import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";
import type { TestFile } from "../../../agent/support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

/** How a deployment of these files ends: `live`, or its failure in one line. */
async function outcomeOf(files: Readonly<Record<string, TestFile>>, change: Partial<RunOrder> = {}) {
  world.repository.git("rm", "-rq", "--ignore-unmatch", ".");
  world.repository.commit({ "index.html": "page", "dist/index.html": "page", ...files });
  const { result } = await world.deploy(change);
  if (result.outcome !== "failed") return result.outcome;
  return `${result.failure.code}: ${result.failure.message}`;
}

/** Commits links without a work tree, because their paths are too long for one. */
function commitDeep(
  deep: string,
  links: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
) {
  const git = (...args: string[]) => world.repository.git(...args);
  const write = (text: string) => {
    writeFileSync(join(world.repository.path, "blob"), text);
    return git("hash-object", "-w", "blob");
  };
  git("read-tree", "--empty");
  const entries: [mode: string, text: string, path: string][] = [
    ["100644", "a", "folder/a.txt"],
    ...Object.entries(links).map(
      ([name, text]) => ["120000", text, `${deep}/${name}`] satisfies [string, string, string],
    ),
    ...Object.entries(others).map(
      ([name, text]) => ["120000", text, name] satisfies [string, string, string],
    ),
  ];
  for (const [mode, text, name] of entries)
    git("update-index", "--add", "--cacheinfo", `${mode},${write(text)},${name}`);
  git("commit", "--quiet", "--message=deep links");
}

const dist = { output_directory: "dist" };

describe("a release with a symbolic link", () => {
  it("to the agent's own files is refused before the switch, and the failure names the link", async () => {
    await world.startAgent();
    expect(await outcomeOf({})).toBe("live");
    expect(await outcomeOf({ "data.json": { link: "../../../../link.json" } })).toBe(
      "build_failed: a symbolic link leads out of the release: `data.json` to `../../../../link.json`",
    );
    expect(world.current).toBe("releases/1");
    expect(world.releases).toEqual([1]);
  });

  it.each([
    ["to a file of the system", { "dist/a": { link: "/etc/passwd" } }],
    ["to a folder of the system", { "dist/a": { link: "/" } }],
    ["to programs", { "dist/a": { link: "/usr/bin" } }],
    ["to the mirror of the repository", { "dist/a": { link: "../../../mirror.git" } }],
    ["to what is not there yet", { "dist/a": { link: "../../../../../agent.json.new" } }],
    [
      "through a chain of links",
      { "dist/a": { link: "b" }, "dist/b": { link: "../c" }, c: { link: "/etc" } },
    ],
    ["to a folder with a link", { "dist/a": { link: "../lib" }, "lib/b": { link: "/etc/passwd" } }],
    ["in a hidden folder", { "dist/.well-known/a": { link: "/etc/passwd" } }],
    ["that leaves through a folder of the release", { "dist/a": { link: "../lib/../../../run.json" } }],
  ] satisfies [string, Record<string, TestFile>][])(
    "in the published folder %s is refused",
    async (_, files) => {
      await world.startAgent();
      expect(await outcomeOf(files, dist)).toMatch(/^build_failed: .* out of the release: `/);
      expect(world.current).toBeNull();
    },
  );

  it.each([
    ["to a hidden file", { ".env": "SECRET=1", "env.txt": { link: ".env" } }, {}],
    ["through another link", { "a.txt": { link: "b" }, b: { link: ".env" }, ".env": "SECRET=1" }, {}],
    ["to a hidden folder", { secrets: { link: ".secrets" }, ".secrets/a": "secret" }, {}],
    ["to what a site beside its sources hides", { "data.txt": { link: "dump.sql" }, "dump.sql": "a" }, {}],
    ["out of dist to a hidden file", { "dist/env": { link: "../.env" }, ".env": "SECRET=1" }, dist],
  ] satisfies [string, Record<string, TestFile>, Partial<RunOrder>][])(
    "%s would show it to visitors, and is refused",
    async (_, files, change) => {
      await world.startAgent();
      expect(await outcomeOf(files, change)).toMatch(
        /^build_failed: the symbolic link `.+` would show visitors `.+`, which the site hides/,
      );
    },
  );

  it.each([
    ["to a forge's folder", { "README.md": { link: ".github/README.md" }, ".github/README.md": "a" }],
    ["in a hidden folder", { ".config/env": { link: "../.env" }, ".env": "SECRET=1" }],
    ["to a file beside it", { "dist/a": { link: "index.html" } }],
    ["to another part of the release", { "dist/a": { link: "../lib" }, "lib/b": "text" }],
    ["to itself", { "dist/a": { link: "a" } }],
    ["to what the release does not have", { "dist/a": { link: "gone" } }],
  ] satisfies [string, Record<string, TestFile>][])(
    "in the published folder %s is deployed",
    async (_, files) => {
      await world.startAgent();
      expect(await outcomeOf(files, dist)).toBe("live");
    },
  );

  it("outside the published folder can lead to the system's programs, but not to the agent's files", async () => {
    await world.startAgent();
    const build = (target: string) => ({
      ...dist,
      build_command: `mkdir -p venv/bin && ln -s ${target} venv/bin/python`,
    });
    expect(await outcomeOf({}, build("/usr/bin/env"))).toBe("live");
    expect(await outcomeOf({}, build(`${world.home}/.local/share/uv/python/bin/python3`))).toBe("live");
    // Where the agent's own mise installs Python, to which a virtual environment links.
    expect(await outcomeOf({}, build(`${world.home}/tools/mise/installs/python/bin/python3`))).toBe("live");
    expect(await outcomeOf({}, build(`${world.home}/projects/other/shared`))).toMatch(
      /^build_failed: a symbolic link/,
    );
    expect(await outcomeOf({}, build(`${world.home}/.ssh/id_ed25519`))).toMatch(
      /^build_failed: a symbolic link/,
    );
  });

  it("in a virtual environment is deployed when the whole project is published", async () => {
    await world.startAgent();
    const build =
      "mkdir -p .venv/bin bin && ln -s /usr/bin/env .venv/bin/python && ln -s /usr/bin/env bin/python";
    expect(await outcomeOf({}, { build_command: build })).toBe("live");
    expect(await outcomeOf({ passwd: { link: "/etc/passwd" } })).toMatch(/^build_failed: a symbolic link/);
    const shown = { environment: { link: ".venv" } };
    const secret = "mkdir .venv && ln -s /etc/passwd .venv/users";
    expect(await outcomeOf({}, { build_command: secret })).toBe("live");
    expect(await outcomeOf(shown, { build_command: secret })).toMatch(/`.venv\/users` to `\/etc\/passwd`$/);
  });

  it("to shared files is deployed, including an absolute one and one through a shared path", async () => {
    await world.startAgent();
    const change = {
      ...dist,
      shared_paths: ["storage"],
      build_command: 'ln -s "$PWD/storage/public" dist/storage',
    };
    expect(await outcomeOf({ "storage/public/a.txt": "a" }, change)).toBe("live");
    expect(world.read("current/dist/storage/a.txt")).toBe("a");
    expect(await outcomeOf({}, change)).toBe("live");
    symlinkSync(join(world.home, "agent.json"), world.path("shared/storage/escape"));
    const through = { "dist/b": { link: "../storage/escape" } };
    expect(await outcomeOf(through, change)).toMatch(/^build_failed: .*`dist\/b` to `..\/storage\/escape`$/);
  });

  it("in a future shared path is refused, and nothing is shared", async () => {
    await world.startAgent();
    const change = { ...dist, shared_paths: ["dist/uploads"] };
    const leaving = { "dist/uploads/a": { link: "../../../../../agent.json" }, "dist/uploads/b.txt": "b" };
    expect(await outcomeOf(leaving, change)).toMatch(
      /^build_failed: .* out of the release: `dist\/uploads\/a`/,
    );
    expect(world.has("shared/dist/uploads")).toBe(false);
    const staying = { "dist/uploads/a": { link: "b.txt" }, "dist/uploads/b.txt": "b" };
    expect(await outcomeOf(staying, change)).toBe("live");
    expect(world.read("current/dist/uploads/a")).toBe("b");
  });

  it("is followed through folders that are nested too deeply for a path", async () => {
    await world.startAgent();
    // Too deep for a path from the root, and not too deep for git to write it from the release.
    const deep = Array.from({ length: 20 }, () => "d".repeat(203)).join("/");
    expect(world.path("releases/1", deep).length).toBeGreaterThan(4_096);
    const up = "../".repeat(20);
    // By its text alone `out` stays below the deep folder, but through `in` it leads out of `folder`.
    const leaving = { in: `${up}folder`, out: "in/../../../../../agent.json", beside: "../x" };
    commitDeep(deep, leaving, { shown: `${deep}/out` });
    const end = await world.deploy();
    expect(JSON.stringify(end.result)).toMatch(/2 symbolic links lead out of the release: /);
    commitDeep(deep, { ...leaving, out: "in/../folder/a.txt" }, { shown: `${deep}/out` });
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(world.read("current/shown")).toBe("a");
    execFileSync("rm", ["-rf", world.home]);
  });

  it("is named with a few others when there are many", async () => {
    await world.startAgent();
    const files = Array.from({ length: 30 }, (_, index) => [
      `dist/l${index}`,
      { link: `/etc/${"x".repeat(200)}` },
    ]);
    const end = await outcomeOf(Object.fromEntries(files), dist);
    expect(end).toMatch(/^build_failed: 30 symbolic links lead out of the release: .*, and 25 more$/);
    expect(end.length).toBeLessThan(1_500);
  });
});
