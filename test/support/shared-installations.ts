import { inject } from "vitest";
import type { TestProject } from "vitest/node";

import { fetchShare, serveShares } from "./serve-shares.ts";
import type { SharedCommand } from "./shared-command.ts";
import type { SharedGantry } from "./shared-gantry.ts";
import type { SharedSystem } from "./shared-system.ts";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * An HTTP server. `/gantry` returns a new `GantryShare` for each request, `/system` the `SystemShare`, `/command` the
     * `CommandShare`.
     */
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
  let command: Promise<SharedCommand> | null = null;
  project.onTestsRerun(async () => {
    await (await command?.catch(() => null))?.end();
    command = null;
  });
  async function answer(path: string | undefined): Promise<unknown> {
    if (path === "/system") {
      system ??= import("./shared-system.ts").then((module) => module.startSharedSystem());
      return (await system).share;
    }
    if (path === "/command") {
      command ??= import("./shared-command.ts").then((module) => module.buildSharedCommand());
      return (await command).share;
    }
    gantry ??= import("./shared-gantry.ts").then((module) => module.startSharedGantry());
    const share = (await gantry).shares.pop();
    if (share === undefined) throw new Error("all accounts of the shared Worker are taken");
    return share;
  }
  const server = await serveShares(answer);
  project.provide("sharedInstallationsUrl", server.url);
  return async () => {
    server.close();
    // If one did not start, each file has reported it.
    await Promise.all(
      [gantry, system, command].map(async (shared) => (await shared?.catch(() => null))?.end()),
    );
  };
}

/** Requests a share of an installation. */
export async function requestShare(path: "/gantry" | "/system" | "/command"): Promise<unknown> {
  return fetchShare(inject("sharedInstallationsUrl") + path);
}
