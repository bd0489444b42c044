import { type ChildProcess, spawn } from "node:child_process";

import { bundleAgent } from "./agent-bundle.ts";
import type { World } from "./harness.ts";

/** The agent as it is started on a server: its own process, which can be killed. */
export type AgentProcess = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | string>;
};

export type SpawnOptions = {
  readonly channel?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** A module that is loaded before the agent. */
  readonly preload?: string;
  readonly sitesSocket?: string;
};

export function spawnAgent(args: readonly string[], options: SpawnOptions = {}): AgentProcess {
  const preload = options.preload === undefined ? [] : [`--import=${options.preload}`];
  const child = spawn(process.execPath, [...preload, bundleAgent(), ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(options.channel === true ? (["ipc"] as const) : [])],
    env: { ...process.env, ...options.env },
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | string>((done) =>
    child.once("exit", (code, signal) => done(code ?? signal ?? "")),
  );
  return { child, output: () => output, exited };
}

/** Enrols the world's server with the real command. */
export async function enrollAgent(world: World): Promise<AgentProcess> {
  const { url, enrolmentToken } = world.control;
  const agent = spawnAgent(["enroll", "--url", url, "--token", enrolmentToken, "--home", world.home]);
  await agent.exited;
  return agent;
}

/** Starts the world's agent as a process, and waits until it has greeted. */
export async function spawnRunningAgent(world: World, options: SpawnOptions = {}): Promise<AgentProcess> {
  const greetings = world.control.messages.length;
  const sites = options.sitesSocket === undefined ? [] : ["--sites-socket", options.sitesSocket];
  const agent = spawnAgent(["run", "--home", world.home, ...sites], options);
  await world.control.waitFor(
    "the greeting of the agent's process",
    () => world.control.isConnected && world.control.messages.length > greetings,
  );
  return agent;
}
