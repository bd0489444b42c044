import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { builtAgent } from "../../../support/built-agent.ts";

const root = resolve(import.meta.dirname, "../../../..");
const run = promisify(execFile);

/** What a command of an operator prints. @param name of a file in scripts */
export async function script(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(root, "scripts", name), ...args], { cwd: root });
  return stdout.trim();
}

/** An agent on a server of its own, out of this repository. */
export type Agent = {
  start(): void;
  /** As a server that is switched off. */
  kill(): Promise<void>;
};

/**
 * Joins as a line says that the dashboard shows.
 * @param home a folder of its own
 * @param runArgs what its agent is started with besides
 */
export async function joinServer(
  line: string,
  home: string,
  runArgs: readonly string[] = [],
): Promise<Agent> {
  const [, url = ""] = /curl -fsSL (\S+)\/install\.sh/.exec(line) ?? [];
  const [, token = ""] = /GANTRY_TOKEN=(\w+)/.exec(line) ?? [];
  const main = await builtAgent();
  await run(process.execPath, [main, "enroll", "--url", url, "--home", home], {
    env: { ...process.env, GANTRY_TOKEN: token },
  });
  let child: ChildProcess | null = null;
  return {
    start() {
      child = spawn(process.execPath, [main, "run", "--home", home, ...runArgs], { stdio: "ignore" });
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
