import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";

import { createWorkspace, type Workspace } from "./workspace.ts";
import { spawnSites } from "../support/sites-process.ts";

export const PROJECT = "proj_01ec6z1k2g7m3p8r9t0v5w4x2y";

/** A site server in a home of its own, with a project of one release. Call it at the top of a test file. */
export function useSiteServer() {
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

  function ask(
    method: "GET" | "PUT",
    path: string,
    body: unknown,
  ): Promise<{ status: number; body: string }> {
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

  return {
    get workspace() {
      return workspace;
    },
    get home() {
      return home;
    },
    socketPath,
    launch,
    start,
    put,
    ask,
    putProject,
  };
}
