import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { freePort } from "../test/support/free-port.ts";
import { createShellDeployer } from "./shell-floor.ts";

const POLL_MS = 4;
/** How often Kamal's proxy asks a new container whether it is healthy. Source: `interval` of its health checks. */
const KAMAL_POLL_MS = 1_000;

/**
 * `restart`: the new files, then `systemctl restart`, whose part an own child process has: the old process ends before the
 * new one starts. `switch`: as Kamal, which starts the new one beside the old one, waits until it is healthy, and ends the
 * old one. The build, push and pull of its image are left out, and so is the start of a container.
 */
export type Procedure = "restart" | "switch";

/** Deploys an app without Gantry, for comparison. */
export type HandDeployer = { deploy(repository: string): Promise<void>; close(): Promise<void> };

export async function createHandDeployer(folder: string, procedure: Procedure): Promise<HandDeployer> {
  await mkdir(folder, { recursive: true });
  const shell = await createShellDeployer(folder);
  let running: ChildProcess | null = null;
  const end = async (child: ChildProcess | null): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  };
  const start = async (pollMs: number): Promise<ChildProcess> => {
    const port = await freePort();
    const child = spawn(process.execPath, ["server.js"], {
      cwd: await realpath(join(folder, "current")),
      env: { ...process.env, PORT: `${port}` },
      stdio: "ignore",
    });
    while (!(await answers(port))) await pause(pollMs);
    return child;
  };
  return {
    async deploy(repository) {
      await shell.deploy(repository);
      const before = running;
      if (procedure === "restart") {
        await end(before);
        running = await start(POLL_MS);
      } else {
        running = await start(KAMAL_POLL_MS);
        await end(before);
      }
    },
    close: () => end(running),
  };
}

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
