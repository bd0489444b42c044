import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { isAlive, AgentWorld } from "../support/harness.ts";
import { createRepository } from "../support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** As many packs as a year of deployments leaves in a mirror, each with a blob of its own. */
let packs: string;
beforeAll(() => {
  packs = mkdtempSync(join(tmpdir(), "gantry-packs-"));
  const git = (args: readonly string[], input: string) => execFileSync("git", args, { cwd: packs, input });
  git(["init", "--quiet", "--bare", "."], "");
  const names = Array.from({ length: 51 }, (_, number) => `blob-${number}`);
  for (const name of names) writeFileSync(join(packs, name), `what a branch had once: ${name}`);
  const shas = git(["hash-object", "-w", "--stdin-paths"], names.join("\n")).toString().trim().split("\n");
  for (const sha of shas) git(["pack-objects", "-q", "objects/pack/pack"], sha);
});
afterAll(() => rmSync(packs, { recursive: true, force: true }));

const addPacks = (gitDir: string) =>
  cpSync(join(packs, "objects/pack"), join(gitDir, "objects/pack"), { recursive: true });

function countsOf(gitDir: string): string {
  const text = execFileSync("git", ["count-objects", "-v"], { cwd: gitDir, encoding: "utf8" });
  return /^packs: .*$/m.exec(text)?.[0] + ", " + /^count: .*$/m.exec(text)?.[0];
}

describe("the mirrors of a project", () => {
  it("are packed into one pack each, of the deployed commits only, when there are many packs", async () => {
    const library = createRepository(join(world.folder, "library"));
    library.commit({ "lib.txt": "lib" });
    const allow = ["-c", "protocol.file.allow=always"];
    world.repository.git(...allow, "submodule", "--quiet", "add", library.path, "lib");
    world.repository.commit({});
    await world.startAgent();
    await world.deploy();
    const modules = world.path("modules");
    const mirrors = [world.path("mirror.git"), ...readdirSync(modules).map((name) => join(modules, name))];
    expect(mirrors).toHaveLength(2);
    for (const mirror of mirrors) addPacks(mirror);
    await world.deploy({ keep_releases: [1] });
    for (const mirror of mirrors) await expect.poll(() => countsOf(mirror)).toBe("packs: 1, count: 0");
    expect((await world.deploy({ keep_releases: [2] })).result.outcome).toBe("live");
    expect(world.read("current/lib/lib.txt")).toBe("lib");
  });

  it("are not packed while an order waits for the project, so a rollback does not wait", async () => {
    const noted = join(world.folder, "packing");
    const programs = join(world.folder, "bin");
    mkdirSync(programs);
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const slow = `#!/bin/sh\ncase " $* " in *" gc "*) echo $$ > ${noted}; exec sleep 1000 ;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(programs, "git"), slow, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"]}` };
    await world.startAgent({}, undefined, environment);
    await world.deploy();
    addPacks(world.path("mirror.git"));
    await world.deploy({ keep_releases: [1] });
    const packing = await world.control.waitFor(
      "the packing",
      () => existsSync(noted) && Number(readFileSync(noted, "utf8")),
    );
    // Packing does not make the agent ignore a correction of the served release either.
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await expect.poll(() => world.current).toBe("releases/1");
    const back = await world.deploy({ reuse_release: 1, preapproved: true, keep_releases: [1, 2] });
    expect(back.result.outcome).toBe("live");
    expect(isAlive(packing)).toBe(false);
  });
});
