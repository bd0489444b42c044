import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunOrder } from "#contract/agent-order.ts";

import { messagesOf, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "page" });
});
afterEach(() => world.close());

const kindOf = (...parts: string[]): string => {
  const found = lstatSync(world.path(...parts), { throwIfNoEntry: false });
  if (found === undefined) return "nothing";
  return found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file";
};

/** Creates a shared file, as a person does before a deployment. */
function share(path: string, text: string): void {
  const file = world.path("shared", path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

async function deployLive(change: Partial<RunOrder>) {
  const { run, result } = await world.deploy(change);
  expect(result).toMatchObject({ outcome: "live" });
  return messagesOf(run, "system").filter((line) => line.includes("shared"));
}

describe("a shared path that exists", () => {
  it("is linked before the build, which sees the shared files", async () => {
    share(".env", "KEY=secret");
    share("storage/upload.txt", "upload");
    await world.startAgent();
    const lines = await deployLive({
      shared_paths: [".env", "storage"],
      build_command: "cat .env storage/upload.txt > seen.txt; echo new > storage/built.txt",
    });
    expect(world.read("current/seen.txt")).toBe("KEY=secretupload");
    expect(world.read("shared/storage/built.txt")).toBe("new\n");
    expect(lines).toEqual(["linked `.env` to shared/.env", "linked `storage` to shared/storage"]);
  });

  it("replaces the repository's own before the build, and is not changed by it", async () => {
    share("config/app.ini", "shared");
    world.repository.commit({ "config/app.ini": "own", "config/other.ini": "other" });
    await world.startAgent();
    await deployLive({ shared_paths: ["config/app.ini"], build_command: "cp config/app.ini seen.txt" });
    expect(world.read("current/seen.txt")).toBe("shared");
    expect(world.read("current/config/other.ini")).toBe("other");
    expect(world.read("shared/config/app.ini")).toBe("shared");
  });

  it.each([
    ["a file", "rm .env && echo built > .env"],
    ["a folder", "rm .env && mkdir .env"],
    ["another link", "ln -sf index.html .env"],
    ["nothing", "rm .env"],
  ])("is linked again where the build has put %s in its place", async (_, build) => {
    share(".env", "shared");
    await world.startAgent();
    const lines = await deployLive({ shared_paths: [".env"], build_command: build });
    expect(readlinkSync(world.path("current/.env"))).toBe("../../shared/.env");
    expect(world.read("current/.env")).toBe("shared");
    expect(lines.at(-1)).toBe("linked `.env` to shared/.env again, because the build had replaced it");
  });

  it("outlives a release whose build fails or removes its folders", async () => {
    share("storage/upload.txt", "upload");
    await world.startAgent();
    const failed = await world.deploy({ shared_paths: ["storage"], build_command: "rm -rf storage; exit 1" });
    expect(failed.result.outcome).toBe("failed");
    expect(world.read("shared/storage/upload.txt")).toBe("upload");
  });
});

describe("a shared path that does not exist yet", () => {
  it("starts as the repository's own file or folder", async () => {
    world.repository.commit({ ".env": "KEY=first", "storage/seed.txt": "seed" });
    await world.startAgent();
    const lines = await deployLive({ shared_paths: [".env", "storage"] });
    expect(kindOf("shared/.env")).toBe("file");
    expect(world.read("current/.env")).toBe("KEY=first");
    expect(world.read("current/storage/seed.txt")).toBe("seed");
    expect(lines).toEqual([
      "linked `.env` to shared/.env, which starts as a copy of the release's files",
      "linked `storage` to shared/storage, which starts as a copy of the release's files",
    ]);
  });

  it("starts as a copy of the file that the build creates", async () => {
    world.repository.commit({ ".env.example": "KEY=" });
    await world.startAgent();
    await deployLive({ shared_paths: [".env"], build_command: "[ -e .env ] || cp .env.example .env" });
    expect(kindOf("shared/.env")).toBe("file");
    writeFileSync(world.path("shared/.env"), "KEY=mine");
    await deployLive({ shared_paths: [".env"], build_command: "[ -e .env ] || cp .env.example .env" });
    expect(world.read("current/.env")).toBe("KEY=mine");
  });

  it("is not copied from a release whose build fails", async () => {
    world.repository.commit({ ".env": "KEY=wrong" });
    await world.startAgent();
    await world.deploy({ shared_paths: [".env"], build_command: "exit 1" });
    world.repository.commit({ ".env": "KEY=right" });
    await deployLive({ shared_paths: [".env"] });
    expect(world.read("current/.env")).toBe("KEY=right");
  });

  it.each([".env", ".env.production", "config/app.ini", "database/database.sqlite"])(
    "with a file's name, %s, is never created as a folder, and exists once a program writes it",
    async (path) => {
      await world.startAgent();
      const lines = await deployLive({ shared_paths: [path], build_command: `[ ! -e ${path} ]` });
      expect(kindOf("shared", path)).toBe("nothing");
      expect(lines).toEqual([
        `shared/${path} does not exist, and neither the repository nor the build has it: \`${path}\` is a link to it, which works once the file is written`,
      ]);
      // A program opens its own file through the link.
      writeFileSync(world.path("current", path), "written");
      expect(kindOf("shared", path)).toBe("file");
      await deployLive({ shared_paths: [path], build_command: `cat ${path} > seen.txt` });
      expect(world.read("current/seen.txt")).toBe("written");
    },
  );

  it.each(["storage", "var/log/app", "uploads"])(
    "with a folder's name, %s, is created as a folder",
    async (path) => {
      await world.startAgent();
      const lines = await deployLive({ shared_paths: [path] });
      expect(kindOf("shared", path)).toBe("folder");
      expect(readdirSync(world.path("current", path))).toEqual([]);
      expect(lines).toEqual([`linked \`${path}\` to shared/${path}, which starts empty`]);
    },
  );

  it("below a link in the repository is refused before the build, and no file is written there", async () => {
    const outside = join(world.folder, "outside");
    mkdirSync(outside);
    share("data/a.txt", "shared");
    world.repository.commit({ data: { link: outside } });
    await world.startAgent();
    const { result } = await world.deploy({
      shared_paths: ["data/a.txt"],
      build_command: `touch ${join(world.folder, "built")}`,
    });
    expect(result).toMatchObject({ failure: { code: "build_failed" } });
    expect(existsSync(join(world.folder, "built"))).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("below a link that the build created is refused, and no file is written there", async () => {
    const outside = join(world.folder, "outside");
    mkdirSync(outside);
    await world.startAgent();
    const { result } = await world.deploy({
      shared_paths: ["data/uploads"],
      build_command: `ln -s ${outside} data`,
    });
    expect(result).toMatchObject({ failure: { code: "build_failed" } });
    expect(readdirSync(outside)).toEqual([]);
  });
});
