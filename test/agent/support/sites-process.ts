import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";

import { expect, inject } from "vitest";

export type SitesOptions = {
  readonly home: string;
  readonly socket: string;
  readonly firstPort: number;
};

/** Starts the site server as a process, with a channel to this one, whose end ends it. */
export function spawnSites({ home, socket, firstPort }: SitesOptions): ChildProcess {
  const args = ["--home", home, "--socket", socket, "--first-port", `${firstPort}`];
  return spawn(process.execPath, [inject("sitesBundle"), ...args], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

/** Starts the site server and waits until it listens. */
export async function startSites(options: SitesOptions): Promise<ChildProcess> {
  const child = spawnSites(options);
  await expect.poll(() => existsSync(options.socket)).toBe(true);
  return child;
}
