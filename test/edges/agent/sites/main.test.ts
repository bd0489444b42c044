import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { mountSmallDisk } from "../../../agent/support/small-disk.ts";
import { freePort } from "../../../support/free-port.ts";
import { PROJECT, useSiteServer } from "../../../agent/sites/use-site-server.ts";

const sites = useSiteServer();
const { launch, start, put, ask, putProject } = sites;

describe("the site server", () => {
  it("answers no request after a restart until it serves the earlier sites", async () => {
    const port = await freePort();
    const first = await start(port);
    const url = await putProject();
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    launch(port);
    const firstAnswer = await vi.waitUntil(() => ask("GET", "/projects", null).catch(() => null), {
      interval: 1,
    });
    expect(firstAnswer).toMatchObject({ status: 200, body: expect.stringContaining(PROJECT) });
    expect(await (await fetch(url)).text()).toBe("one");
  });

  it("serves the earlier sites after a restart, even if the disk is full", async () => {
    const disk = mountSmallDisk(sites.home, 1024 * 1024);
    try {
      const port = await freePort();
      const first = await start(port);
      const url = await putProject();
      first.child.kill("SIGKILL");
      await once(first.child, "exit");
      disk.fill(0);
      const second = await start(port);
      expect(await (await fetch(url)).text()).toBe("one");
      expect(second.output()).toMatch(/sites\.json cannot be written/);
      disk.clear();
      second.child.kill("SIGKILL");
      await once(second.child, "exit");
      await start(port + 50);
      expect(await (await fetch(url)).text()).toBe("one");
    } finally {
      disk.unmount();
    }
  });

  it("serves no site that it could not record for its next start", async () => {
    const disk = mountSmallDisk(sites.home, 1024 * 1024);
    try {
      const port = await freePort();
      const first = await start(port);
      disk.fill(0);
      const body = { directory: sites.workspace.directory };
      for (let tries = 0; tries < 2; tries += 1)
        expect((await put(`/projects/${PROJECT}`, body)).status).toBe(500);
      expect((await ask("GET", "/projects", null)).body).toBe('{"sites":[]}');
      disk.clear();
      const url = await putProject();
      first.child.kill("SIGKILL");
      await once(first.child, "exit");
      await start(port);
      expect(await (await fetch(url)).text()).toBe("one");
    } finally {
      disk.unmount();
    }
  });

  it("removes the half-written list of a killed server", async () => {
    const port = await freePort();
    const first = await start(port);
    await putProject();
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    // An interrupted write leaves the file before its rename.
    await writeFile(join(sites.home, "sites.json.tmp"), '{"sites": [');
    await start(port);
    expect((await readdir(sites.home)).toSorted()).toEqual(["s.sock", "sites.json"]);
  });

  it.each([
    ["empty", (path: string) => writeFile(path, "")],
    ["of another form", (path: string) => writeFile(path, '{"sites": [{}]}')],
    ["no file", (path: string) => mkdir(path)],
  ])("puts a list aside that is %s, says so, and serves what is named again", async (_what, damage) => {
    const port = await freePort();
    await mkdir(sites.home);
    await damage(join(sites.home, "sites.json"));
    const { output } = await start(port);
    expect(output()).toMatch(/sites\.json cannot be read \(.+\)\. It is now .+sites\.json\.damaged/);
    expect(await (await fetch(await putProject())).text()).toBe("one");
    expect((await readdir(sites.home)).toSorted()).toEqual(["s.sock", "sites.json", "sites.json.damaged"]);
  });

  it("refuses to start next to another one, and does not change its sites", async () => {
    await start(await freePort());
    await putProject();
    const list = await readFile(join(sites.home, "sites.json"), "utf8");
    const second = await start(await freePort());
    expect(await readFile(join(sites.home, "sites.json"), "utf8")).toBe(list);
    expect(second.child.exitCode).toBe(1);
    expect(second.output()).toContain("Another site server listens on");
  });
});
