import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { PROJECT, useSiteServer } from "./use-site-server.ts";

const sites = useSiteServer();
const { socketPath, start, put, putProject } = sites;

const OTHER = "proj_01ec6z1k2g7m3p8r9t0v5w4x2z";

describe("the site server", () => {
  it("gives each project its own port, and the same one again later", async () => {
    await start(await freePort());
    const [one, other] = await Promise.all([putProject(), putProject(OTHER)]);
    expect(other).not.toBe(one);
    expect(await putProject()).toBe(one);
    expect(await (await fetch(one)).text()).toBe("one");
    expect((await stat(socketPath())).mode & 0o777).toBe(0o600);
  });

  it("serves the earlier sites at their ports after a restart", async () => {
    const port = await freePort();
    const first = await start(port);
    const url = await putProject();
    first.child.kill("SIGTERM");
    expect(await once(first.child, "exit")).toEqual([0, null]);
    // With another first port: the recorded ports count.
    await start(port + 50);
    expect(await (await fetch(url)).text()).toBe("one");
  });

  it("moves to the next free port and reports it when its port is taken", async () => {
    const port = await freePort();
    const first = await start(port);
    const url = await putProject();
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const taker = createServer().listen(Number(new URL(url).port), "127.0.0.1");
    await once(taker, "listening");
    const second = await start(port);
    taker.close();
    const moved = await putProject();
    expect(moved).not.toBe(url);
    expect(second.output()).toContain(`is taken: ${PROJECT} is now at ${moved}`);
    expect(await readFile(join(sites.home, "sites.json"), "utf8")).toContain(new URL(moved).port);
  });

  it("ends when the process that started it ends", async () => {
    const { child } = await start(await freePort());
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    ["/projects/proj_x", { directory: "/srv" }, 422],
    [`/projects/${PROJECT}`, { directory: "srv" }, 422],
    [`/projects/${PROJECT}`, { directory: "/srv", port: 1 }, 422],
    ["/elsewhere", {}, 404],
  ])("refuses PUT %s %j with %i", async (path, body, status) => {
    await start(await freePort());
    expect((await put(path, body)).status).toBe(status);
  });
});
