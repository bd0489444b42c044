import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { hostname } from "node:os";
import { promisify } from "node:util";

import { enroll } from "#agent/main/enroll.ts";

import { builtPrograms } from "../../support/built-programs.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const ENROLL_TIMEOUT_MS = 120_000;

/** Runs a script and returns its output. @param name of a file in scripts */
export async function script(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(root, "scripts", name), ...args], { cwd: root });
  return stdout.trim();
}

/** An agent of this repository, with its own home. */
export type Agent = {
  start(): void;
  /** Kills the agent, as when its server is switched off. */
  kill(): Promise<void>;
};

/**
 * Enrolls an agent with the install command that the dashboard shows.
 * @param home the agent's folder
 * @param runArgs further arguments of the agent
 */
export async function joinServer(
  line: string,
  home: string,
  runArgs: readonly string[] = [],
): Promise<Agent> {
  const [, url = ""] = /curl -fsSL (\S+)\/install\.sh/.exec(line) ?? [];
  const [, token = ""] = /GANTRY_TOKEN=(\w+)/.exec(line) ?? [];
  const { agentProgram: main } = await builtPrograms();
  const end = await enroll({
    url,
    token,
    home,
    hostname: hostname(),
    proxy: null,
    timeoutMs: ENROLL_TIMEOUT_MS,
  });
  if (end.kind !== "enrolled") throw new Error(end.message);
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
