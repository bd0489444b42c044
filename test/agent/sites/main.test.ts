import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkspace, type Workspace } from "./workspace.ts";
import { freePort } from "../../support/free-port.ts";
import { spawnSites } from "../support/sites-process.ts";

const PROJECT = "proj_01ec6z1k2g7m3p8r9t0v5w4x2y";
const OTHER = "proj_01ec6z1k2g7m3p8r9t0v5w4x2z";

let workspace: Workspace;
let home: string;
let children: ChildProcess[];

beforeEach(async () => {
  workspace = await createWorkspace();
  home = join(workspace.directory, "..", "sites");
  children = [];
  await workspace.addRelease(1, { "index.html": "one" });
  await workspace.switchTo(1);
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await workspace.remove();
});

const socketPath = () => join(home, "s.sock");

function launch(firstPort: number): { child: ChildProcess; output: () => string } {
  const child = spawnSites({ home, socket: socketPath(), firstPort });
  children.push(child);
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

async function start(firstPort: number): Promise<{ child: ChildProcess; output: () => string }> {
  const launched = launch(firstPort);
  await Promise.race([once(launched.child, "message"), once(launched.child, "exit")]);
  return launched;
}

const put = (path: string, body: unknown) => ask("PUT", path, body);

function ask(method: "GET" | "PUT", path: string, body: unknown): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socketPath(), method, path }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body === null ? undefined : JSON.stringify(body));
  });
}

const putProject = async (id = PROJECT): Promise<string> => {
  const answer = await put(`/projects/${id}`, { directory: workspace.directory });
  expect(answer.status).toBe(200);
  return /"url":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(answer.body)?.[1] ?? "";
};

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
    expect(await readFile(join(home, "sites.json"), "utf8")).toContain(new URL(moved).port);
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
