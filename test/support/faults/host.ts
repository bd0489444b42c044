import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";

import * as z from "zod";

import { endSupervisor } from "#agent/apps/process-supervisor.ts";
import type { AgentSettings } from "#agent/context/settings.ts";
import { startTimeOf } from "#build/process/process-table.ts";
import { attempt } from "#node/attempt.ts";
import { Enrollment, ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { root } from "../../../scripts/shared/root.ts";
import { type Service, supervise } from "../../../scripts/start/supervisor.ts";
import type { Api } from "../journey-api.ts";
import { eventually } from "./eventually.ts";
import { createLinkProxy, type LinkProxy } from "./link-proxy.ts";
import { messageToAgent } from "./passages.ts";
import { descendantsOf, signal } from "./processes.ts";

const STOP_MS = 15_000;

const Lock = z.object({ pid: z.int(), start_time: z.string() });

/** Short enough that the agent detects a network fault within two seconds. */
const AGENT_SETTINGS: Partial<AgentSettings> = {
  pingMs: 300,
  answerMs: 1_200,
  backOffBaseMs: 100,
  backOffCapMs: 600,
  permitPollMs: 200,
  signOfLifeMs: 1_000,
  stopGraceMs: 1_000,
  shutdownReportMs: 1_500,
  appsCheckMs: 1_000,
  drainCheckMs: 250,
  leastDrainMs: 500,
  settleMs: 200,
};

/** A user's server: an agent and a site server with their own home, behind their own proxy. */
export type Host = {
  readonly name: string;
  readonly serverId: string;
  /** The agent's home folder. */
  readonly home: string;
  readonly link: LinkProxy;
  readonly sites: Service;
  /** Whether its home is on a small disk that can be filled. */
  readonly hasOwnDisk: boolean;
  /** Waits until the site server answers. */
  sitesUp(): Promise<void>;
  agentPid(): number | null;
  /** The process that keeps the instances of apps running; `null` while there is none. */
  supervisorPid(): number | null;
  /** The agent's own processes, without its supervisor and the instances. */
  commands(): { readonly pid: number; readonly name: string }[];
  /** Starts the agent, unless it runs, and waits for the control plane's welcome message. */
  startAgent(): Promise<void>;
  /** Starts the agent, unless it runs. */
  launchAgent(): void;
  /** Sends the agent a signal, and waits for its exit where the signal ends it. */
  signalAgent(name: NodeJS.Signals): Promise<void>;
  /** Resolves when the agent receives the next welcome message. */
  welcomed(): Promise<void>;
  /** Enrols again, as the server's owner does after a refused credential. */
  enroll(): Promise<void>;
  /** Starts a second agent with its own home, as a user might by mistake. It serves no sites. */
  spawnSecondAgent(home: string): ChildProcess;
  output(): Promise<string>;
  stop(): Promise<void>;
};

export type HostOptions = {
  readonly name: string;
  readonly folder: string;
  readonly api: Api;
  /** The Worker's own address. */
  readonly workerUrl: string;
  readonly firstPort: number;
  /** The path of the agent's bundle. */
  readonly agentProgram: string;
  /** The path of the site server's bundle. */
  readonly sitesProgram: string;
  /** Goes into the agent's GIT_SSH_COMMAND; `null`: the agent uses ssh as on a real server. */
  readonly ssh: string | null;
  /** The size of a separate disk for the agent's home, in megabytes; `null`: no separate disk. */
  readonly diskMegabytes: number | null;
};

export async function createHost(options: HostOptions): Promise<Host> {
  const { name, folder, api, workerUrl, firstPort, agentProgram, sitesProgram, ssh, diskMegabytes } = options;
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  if (diskMegabytes !== null)
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", home]);
  const link = await createLinkProxy(workerUrl);
  const created = await api.call("POST", "/v1/servers", { name, ip: "127.0.0.1" });
  const serverId = ServerCreated.parse(created.json).id;
  const socket = join(folder, `${name}.sock`);
  const logFile = join(folder, `${name}.log`);
  let welcomes = 0;
  link.watch((passage) => {
    if (messageToAgent(passage)?.type === "welcome") welcomes += 1;
  });

  const spawnAgent = (
    args: readonly string[],
    settings: Partial<AgentSettings> = AGENT_SETTINGS,
  ): ChildProcess => {
    const log = openSync(logFile, "a");
    const child = spawn(process.execPath, [agentProgram, ...args], {
      cwd: root,
      detached: true,
      // The agent ends when this channel closes, so it never outlives this process.
      stdio: ["ignore", log, log, "ipc"],
      env: {
        ...process.env,
        ...(ssh === null ? { HOME: folder } : { GIT_SSH_COMMAND: ssh }),
        GANTRY_AGENT_SETTINGS: JSON.stringify(settings),
        // The agent starts many times, and most of a start is compiling.
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(folder, "compiled"),
      },
    });
    closeSync(log);
    child.on("error", () => undefined);
    return child;
  };
  async function enroll(): Promise<void> {
    const made = await api.call("POST", `/v1/servers/${serverId}/enrollment`);
    const { token } = Enrollment.parse(made.json);
    // Enrolment tries once, so it gets the default time for the answer.
    const child = spawnAgent(["enroll", "--url", link.url, "--token", token, "--home", home], {});
    const [code]: unknown[] = await once(child, "exit");
    if (code !== 0) throw new Error(`${name} could not be enrolled:\n${await readFile(logFile, "utf8")}`);
  }

  const sites = supervise({
    name: "sites",
    argv: [sitesProgram, ...["--home", home, "--socket", socket, "--first-port", `${firstPort}`]],
    logFile: join(folder, `${name}-sites.log`),
    healthUrl: null,
    stopMs: STOP_MS,
    restart: { firstMs: 100, longestMs: 500 },
    onPidChange: () => undefined,
    onCrash: () => undefined,
  });
  await sites.ready;
  await enroll();

  let agent: ChildProcess | null = null;
  const launchAgent = (): void => {
    if (agent !== null) return;
    const launched = spawnAgent(["run", "--home", home, "--sites-socket", socket]);
    agent = launched;
    launched.once("exit", () => {
      if (agent === launched) agent = null;
    });
  };
  const welcomed = async (): Promise<void> => {
    const before = welcomes;
    await eventually(`the agent of ${name} has received a welcome`, () => welcomes > before);
  };
  const signalAgent = async (signalName: NodeJS.Signals): Promise<void> => {
    const signaled = agent;
    if (signaled?.pid === undefined) return;
    const ended = once(signaled, "exit");
    signal(signaled.pid, signalName);
    if (signalName === "SIGKILL" || signalName === "SIGTERM") await ended;
  };

  const supervisorPid = (): number | null => {
    const lock = attempt(
      () => Lock.parse(JSON.parse(readFileSync(join(home, "supervisor.lock"), "utf8"))),
      null,
    );
    return lock !== null && startTimeOf(lock.pid) === lock.start_time ? lock.pid : null;
  };

  return {
    name,
    serverId,
    home,
    link,
    sites,
    hasOwnDisk: diskMegabytes !== null,
    sitesUp: () => eventually(`the sites of ${name} are served`, () => answers(socket)),
    agentPid: () => agent?.pid ?? null,
    supervisorPid,
    commands: () => descendantsOf(agent?.pid ?? null, supervisorPid()),
    launchAgent,
    async startAgent() {
      if (agent !== null) return;
      const welcome = welcomed();
      launchAgent();
      await welcome;
    },
    signalAgent,
    welcomed,
    enroll,
    spawnSecondAgent: (otherHome) => spawnAgent(["run", "--home", otherHome]),
    output: () => readFile(logFile, "utf8"),
    async stop() {
      await signalAgent("SIGCONT");
      await signalAgent("SIGTERM");
      await sites.stop();
      await endSupervisor({ home, program: agentProgram, environment: process.env });
      await link.close();
      if (diskMegabytes !== null) execFileSync("umount", ["-l", home]);
    },
  };
}

/** The site server opens its control socket once it serves all sites. */
function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath: socket, path: "/projects" }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once("error", () => resolve(false));
    asked.end();
  });
}
