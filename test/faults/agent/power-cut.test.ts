import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { packMirror } from "#agent/git/commands/git.ts";
import { createSites } from "#agent/sites/sites-client.ts";
import { listenForControl } from "#agent/sites/control-server.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { createSiteRegistry } from "#agent/sites/site-registry.ts";
import { createSiteStore } from "#agent/sites/site-store.ts";

import { messagesOf, World } from "../../agent/support/harness.ts";
import { expectWholeProject } from "../../agent/support/whole-project.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const restored = () =>
  world.control.messages.some((message) => message.type === "serving" && message.project.release === 1);

describe("a power cut that leaves recently written files empty", () => {
  it.each(["", '{"run": {"proj'])(
    "such as the journals of a run (%j) and a correction: the agent removes both and continues",
    async (text) => {
      const agent = await world.startAgent();
      await world.deploy();
      await world.deploy({ keep_releases: [1] });
      await agent.stop();
      // During a fetch, and after a switch whose release was not verified.
      writeFileSync(world.path("run.json"), text);
      writeFileSync(world.path("correction.json"), text);
      writeFileSync(world.path("mirror.git", "objects", "pack", "tmp_pack_left"), "");
      mkdirSync(world.path("releases", "3"));

      await world.startAgent();
      await expectWholeProject(world, []);
      expect(world.has("mirror.git", "objects", "pack", "tmp_pack_left")).toBe(false);
      world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
      await world.control.waitFor("the release that was live", restored);
      world.repository.commit({ "index.html": "two" });
      expect((await world.deploy()).result).toMatchObject({ outcome: "live", release: 3 });
    },
  );

  it("such as the commit graph of a mirror: a fetch prints no error, and packing writes none", async () => {
    world.policy = { commits: "any" };
    await world.startAgent();
    // For the short hash of an earlier commit, the mirror gets the whole history: only then can it have a commit graph.
    const deploy = () => {
      world.repository.commit({ "index.html": "two" });
      world.repository.commit({ "index.html": "three" });
      const commit = world.repository.git("rev-parse", "main^").slice(0, 9);
      return world.deploy(world.source({ commit, commits: "any" }));
    };
    await deploy();
    const gitDir = world.path("mirror.git");
    execFileSync("git", ["commit-graph", "write", "--reachable"], { cwd: gitDir });
    const graph = ["mirror.git", "objects", "info", "commit-graph"] as const;
    truncateSync(world.path(...graph));
    const { run, result } = await deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stderr")).toEqual([]);

    rmSync(world.path(...graph));
    const { argv, env } = packMirror({ gitDir, remote: null, uploadPack: null, isConfined: true, env: {} });
    execFileSync("git", argv.slice(1), { env: { ...process.env, ...env } });
    expect(world.has(...graph)).toBe(false);
  });

  it("such as the list of sites: the site server starts, and the agent registers its sites again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-s-"));
    const socket = join(folder, "s.sock");
    const said: string[] = [];
    const startSites = async () => {
      const log = (message: string) => void said.push(message);
      const store = createSiteStore(folder, log);
      const registry = createSiteRegistry({
        store,
        slots: localSlotsFolder(world.home),
        firstPort: 18_450,
        log,
      });
      const control = await listenForControl(socket, registry);
      await registry.reopen();
      return async () => {
        control.close();
        control.closeAllConnections();
        await registry.close();
      };
    };
    let endSites = await startSites();
    const agent = await world.startAgent(
      {},
      createSites(socket, () => undefined),
    );
    await world.deploy();
    await agent.stop();
    await endSites();
    writeFileSync(join(folder, "sites.json"), "");

    endSites = await startSites();
    const sites = createSites(socket, () => undefined);
    await world.startAgent({}, sites);
    await expect.poll(() => sites.urlOf(world.projectId)).not.toBeNull();
    expect(await (await fetch(sites.urlOf(world.projectId) ?? "")).text()).toBe("one");
    expect(said.join("\n")).toContain("sites.json cannot be read");
    await endSites();
    rmSync(folder, { recursive: true, force: true });
  });
});
