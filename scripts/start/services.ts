import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { agentFlags, agentMemory } from "../shared/agent-process.ts";
import { dim, formatDuration, print, yellow } from "../shared/terminal.ts";
import { callersPath } from "./callers-path.ts";
import type { StartOptions } from "./options.ts";
import { type Service, type ServiceSpec, supervise } from "./supervisor.ts";

/** The agent stops its runs first: it gives their commands 10 s, and reports for 3 s (src/agent/context/settings.ts). */
const AGENT_STOP_MS = 14_000;
/** It stops its apps, for 5 s each at the same time, and kills the remaining processes. */
const SUPERVISOR_STOP_MS = 15_000;
const STOP_MS = 4_000;
/** The limit of macOS. Linux allows 107 bytes. */
const MAX_SOCKET_PATH_BYTES = 103;

/** The programs of an installation, started one by one and ended together. */
export type Services = {
  readonly agentHome: string;
  startWorker(bundle: string): Service;
  startSites(program: string): Service;
  /**
   * Starts the supervisor of apps.
   * @param program the agent's file
   */
  startSupervisor(program: string): Service;
  startAgent(program: string): Service;
  /** The pids of the running programs. */
  pids(): number[];
  /** Stops the agent first, because it reports its stopped runs to the Worker. */
  stop(): Promise<void>;
  kill(): void;
};

export async function createServices(options: StartOptions, onPidChange: () => void): Promise<Services> {
  const { home, port } = options;
  const logs = join(home, "logs");
  await mkdir(logs, { recursive: true });
  const agentHome = join(home, "agent");
  const socket = socketPath(home);
  const running: Service[] = [];

  function start(
    spec: Pick<
      ServiceSpec,
      "name" | "argv" | "againArgv" | "environment" | "healthUrl" | "stopMs" | "killSignal"
    >,
  ): Service {
    const logFile = join(logs, `${spec.name}.log`);
    const service = supervise({
      ...spec,
      logFile,
      onPidChange,
      onCrash: (how, delayMs) =>
        print(
          `${yellow("!")} The ${spec.name} ended (${how}). It restarts in ${formatDuration(delayMs)}. Log: ${dim(logFile)}`,
        ),
    });
    running.unshift(service);
    // supervise() reported the first pid before the service was in the list.
    onPidChange();
    return service;
  }

  // Each start writes new logs.
  for (const name of ["worker", "sites", "supervisor", "agent"])
    await rm(join(logs, `${name}.log`), { force: true });

  return {
    agentHome,
    startWorker: (bundle) =>
      start({
        name: "worker",
        argv: [
          "scripts/serve.ts",
          ...["--port", `${port}`, "--home", home, "--bundle", bundle],
          ...(options["rate-limit"] === null ? [] : ["--rate-limit", `${options["rate-limit"]}`]),
          ...(options.inspect === null ? [] : ["--inspect", `${options.inspect}`]),
        ],
        againArgv: ["--again"],
        healthUrl: `http://127.0.0.1:${port}/healthz`,
        stopMs: STOP_MS,
      }),
    startSites: (program) =>
      start({
        name: "sites",
        argv: [program, ...["--home", agentHome, "--socket", socket, "--first-port", `${port + 1}`]],
        healthUrl: null,
        stopMs: STOP_MS,
      }),
    startSupervisor: (program) =>
      start({
        name: "supervisor",
        argv: [program, "supervise", "--home", agentHome],
        healthUrl: null,
        stopMs: SUPERVISOR_STOP_MS,
        // It kills its apps at once when this process ends after the signal.
        killSignal: "SIGTERM",
      }),
    startAgent: (program) =>
      start({
        name: "agent",
        argv: [
          ...[
            ...agentFlags,
            program,
            "run",
            "--home",
            agentHome,
            "--sites-socket",
            socket,
            "--external-supervisor",
          ],
          // It is the user's own machine.
          "--allow-commands",
          "--allow-cron",
        ],
        environment: { ...process.env, ...agentMemory, PATH: callersPath(process.env["PATH"] ?? "") },
        healthUrl: null,
        stopMs: AGENT_STOP_MS,
      }),
    pids: () => running.flatMap((service) => service.pid() ?? []),
    async stop() {
      for (const service of running) await service.stop();
    },
    kill() {
      for (const service of running) service.kill();
    },
  };
}

/** The path of a Unix socket is limited. For a home with a long path, the socket is in the temporary folder. */
function socketPath(home: string): string {
  const path = join(home, "run", "sites.sock");
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  const hash = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(tmpdir(), `gantry-sites-${hash}.sock`);
}
