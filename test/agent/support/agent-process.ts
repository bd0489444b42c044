import { type ChildProcess, spawn } from "node:child_process";

import { agentPath, bundleAgent } from "./agent-bundle.ts";
import type { AgentWorld } from "./harness.ts";

/** An agent in its own process, as on a server, so that a test can kill it. */
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
  /** More arguments of `run`. */
  readonly args?: readonly string[];
};

export function spawnAgent(args: readonly string[], options: SpawnOptions = {}): AgentProcess {
  const preload = options.preload === undefined ? [] : [`--import=${options.preload}`];
  const child = spawn(process.execPath, [...preload, bundleAgent(), ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(options.channel === true ? (["ipc"] as const) : [])],
    env: { ...process.env, PATH: agentPath(), ...options.env },
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | string>((done) =>
    child.once("exit", (code, signal) => done(code ?? signal ?? "")),
  );
  return { child, output: () => output, exited };
}

/** Enrols the world's server with `gantry-agent enroll`. */
export async function enrollAgent(world: AgentWorld): Promise<AgentProcess> {
  const { url, enrolmentToken } = world.control;
  const agent = spawnAgent(["enroll", "--url", url, "--token", enrolmentToken, "--home", world.home]);
  await agent.exited;
  return agent;
}

/** Starts the world's agent as a process, and waits for its hello. */
export async function spawnRunningAgent(
  world: AgentWorld,
  options: SpawnOptions = {},
): Promise<AgentProcess> {
  const hellos = world.control.hellos;
  const sites = options.sitesSocket === undefined ? [] : ["--sites-socket", options.sitesSocket];
  const agent = spawnAgent(["run", "--home", world.home, ...sites, ...(options.args ?? [])], options);
  await world.control.waitForHello(hellos);
  return agent;
}
