import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { createCli } from "../../cli/support/command.ts";
import type { Host } from "../../support/faults/host.ts";
import { createInstallation, type Installation } from "../../support/faults/installation.ts";
import { createSite, type Site } from "../../support/faults/site.ts";
import { type SiteVisitor, visitSite } from "../../support/faults/site-visitor.ts";
import { removeHome } from "../../support/journey-system.ts";

const VISIT_EVERY_MS = 25;

const cli = createCli();
let installation: Installation;
let web: Host[];
let builder: Host;

beforeAll(async () => {
  installation = await createInstallation();
  web = [await installation.addServer("web-1"), await installation.addServer("web-2")];
  builder = await installation.addServer("builder");
});
afterAll(async () => {
  await installation.stop();
  await removeHome(installation.home);
});
beforeEach(async () => {
  for (const host of [...web, builder]) await host.startAgent();
});

/** An app on both servers, which the third one builds, with a visitor at each. */
type Scene = {
  readonly site: Site;
  readonly visitors: readonly SiteVisitor[];
  readonly built: () => readonly string[];
};

async function openScene(name: string, settings: Record<string, unknown> = {}): Promise<Scene> {
  const [first] = web;
  if (first === undefined) throw new Error("no servers");
  const record = join(installation.home, `${name}.builds`);
  const site = await createSite(
    installation,
    first,
    name,
    {
      servers: web.map(({ serverId }) => ({ id: serverId })),
      build_on: builder.serverId,
      build_command: `pwd -P >> ${record}; sh build.sh ${installation.home}/sources/${name}.gate`,
      ...settings,
    },
    true,
  );
  await deploy(site);
  const { servers_state: states } = await installation.api.getProject(site.projectId);
  const visitors = states.map(({ url }) => {
    if (url === null) throw new Error("a server has no address");
    return visitSite(url, VISIT_EVERY_MS);
  });
  const built = () => (existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : []);
  return { site, visitors, built };
}

async function logOf(id: string): Promise<string> {
  return (await installation.api.log(id)).map(({ message }) => message).join("\n");
}

async function live(id: string): Promise<Deployment> {
  const ended = await installation.api.ended(id, 60_000);
  expect(ended, await logOf(id)).toMatchObject({ status: "live", failure: null });
  return ended;
}

const deploy = async (site: Site) => await live((await installation.api.start(site.projectId)).id);

/** Checks that both servers serve the page with this marker, and that no visitor was turned away. */
async function leave({ visitors }: Scene, marker: string): Promise<void> {
  for (const visitor of visitors) await expect.poll(() => visitor.seen).toBe(marker);
  for (const visitor of visitors) {
    await visitor.leave();
    expect(visitor.failures).toEqual([]);
  }
}

const releasesOf = (host: Host, { projectId }: Site) => {
  const folder = join(host.home, "projects", projectId, "releases");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe("a server outside of the project's", () => {
  it("builds for both servers, which never run the build command, and no visitor is lost", async () => {
    const scene = await openScene("outside");
    const { site, built } = scene;
    const page = await site.source.commit();
    const deployed = await deploy(site);
    expect(deployed.build).toMatchObject({ server_id: builder.serverId, sha256: expect.any(String) });
    expect(deployed.runs.map(({ purpose, status }) => `${purpose} ${status}`)).toEqual([
      "build built",
      "deploy switched",
      "deploy switched",
    ]);
    // One build for each of the two deployments.
    expect(built()).toHaveLength(2);
    for (const folder of built()) expect(folder.startsWith(builder.home)).toBe(true);
    await expect.poll(() => releasesOf(builder, site)).toEqual([]);
    await leave(scene, page.marker);
  });

  it("builds nothing again for a rollback to a release whose files are gone", async () => {
    const scene = await openScene("rollback");
    const { site, built } = scene;
    const [first] = site.source.commits.values();
    await site.source.commit();
    await deploy(site);
    const builds = built().length;
    for (const { home } of web) {
      const releases = join(home, "projects", site.projectId, "releases");
      for (const name of ["1", "1.json"]) rmSync(join(releases, name), { recursive: true });
    }
    const { id } = await installation.api.rollBack(site.projectId, { version: 1 });
    await live(id);
    expect(await logOf(id)).toContain("downloaded the build");
    expect(built()).toHaveLength(builds);
    await leave(scene, first?.marker ?? "");
  });

  it("is not needed by a server that cannot use its build, which builds by itself and says so", async () => {
    const scene = await openScene("platform");
    const { site, built } = scene;
    // A path of the builder's tools, as virtual environments have it.
    const page = await site.source.commit({
      build: 'echo "$(cd ../../../.. && pwd -P)/tools/python" > tool',
    });
    const before = built().length;
    const deployed = await deploy(site);
    const homes = built()
      .slice(before)
      .map((folder) => [builder, ...web].find(({ home }) => folder.startsWith(home)));
    expect(new Set(homes)).toEqual(new Set([builder, ...web]));
    expect(await logOf(deployed.id)).toMatch(
      /building here instead of taking the build of another server: it is for the folder/,
    );
    await leave(scene, page.marker);
  });

  it("can be killed while it builds: the deployment fails, and both servers serve what they served", async () => {
    const scene = await openScene("killed");
    const { site } = scene;
    const [before] = site.source.commits.values();
    await site.source.commit();
    await site.source.gate.hold("build");
    const { id } = await installation.api.start(site.projectId);
    await site.source.gate.reached("build");
    await builder.signalAgent("SIGKILL");
    await builder.startAgent();
    await site.source.gate.open();
    const ended = await installation.api.ended(id, 60_000);
    expect(ended).toMatchObject({
      status: "failed",
      failure: { code: "server_lost", server_id: builder.serverId },
    });
    await leave(scene, before?.marker ?? "");
  });
});

describe("gantry deploy --artifact", () => {
  it("deploys a build that no server makes, at its commit", async () => {
    const scene = await openScene("artifact", { artifact_uploads: true });
    const { site, built } = scene;
    const page = await site.source.commit();
    const folder = join(installation.home, "checkout");
    execFileSync("git", ["clone", "--quiet", join(installation.home, "sources", "artifact"), folder]);
    writeFileSync(join(folder, "made-elsewhere"), "in a CI job");
    const env = {
      GANTRY_URL: installation.clients.url,
      GANTRY_TOKEN: installation.token,
      GANTRY_PROJECT: "artifact",
    };
    const before = built().length;
    const called = await cli.run(["deploy", "--artifact", folder, "--follow"], { env });
    expect(called, called.stderr).toMatchObject({ code: 0 });
    expect(called.stderr).toMatch(/Packed \d+ files with .* into/);
    expect(called.stdout).toContain("downloaded the build");
    expect(built()).toHaveLength(before);
    const [deployed] = await installation.api.listDeployments(site.projectId);
    expect(deployed?.commit_sha).toBe(page.sha);
    for (const host of web) {
      const release = join(host.home, "projects", site.projectId, "current");
      expect(readFileSync(join(release, "made-elsewhere"), "utf8")).toBe("in a CI job");
      expect(existsSync(join(release, ".git"))).toBe(false);
    }
    await leave(scene, page.marker);
  });
});
