import { once } from "node:events";
import { createServer } from "node:http";

import { inject } from "vitest";
import type { TestProject } from "vitest/node";

import type { SharedGantry } from "./shared-gantry.ts";
import type { SharedSystem } from "./shared-system.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** An HTTP server. `/gantry` returns a new `GantryShare` for each request, `/system` the `SystemShare`. */
    sharedInstallationsUrl: string;
  }
}

/**
 * Runs once before the files of all projects; the function that it returns runs after them. Each installation starts
 * when the first file requests it, because a start takes several seconds of CPU time.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let gantry: Promise<SharedGantry> | null = null;
  let system: Promise<SharedSystem> | null = null;
  async function answer(path: string | undefined): Promise<unknown> {
    if (path === "/system") {
      system ??= import("./shared-system.ts").then((module) => module.startSharedSystem());
      return (await system).share;
    }
    gantry ??= import("./shared-gantry.ts").then((module) => module.startSharedGantry());
    const share = (await gantry).shares.pop();
    if (share === undefined) throw new Error("all accounts of the shared Worker are taken");
    return share;
  }
  const server = createServer((request, response) => {
    answer(request.url).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  project.provide("sharedInstallationsUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    server.close();
    // If one did not start, each file has reported it.
    await Promise.all([gantry, system].map(async (shared) => (await shared?.catch(() => null))?.end()));
  };
}

/** Requests a share of an installation. */
export async function requestShare(path: "/gantry" | "/system"): Promise<unknown> {
  const answer = await fetch(inject("sharedInstallationsUrl") + path);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}
