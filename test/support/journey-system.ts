import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { LocalFile } from "../../scripts/start/local-file.ts";
import { freePort } from "./free-port.ts";
import { type Api, createApi } from "./journey-api.ts";
import { processesOf } from "./journey-processes.ts";

const root = resolve(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 240_000;
/** The last line that `npm start` prints, whether its deployment went live or not. */
export const IS_UP = "Ctrl-C ends everything";
const STOP_TIMEOUT_MS = 25_000;

/** A call of `npm start`. */
export type SystemRun = {
  readonly home: string;
  readonly port: number;
  /** npm's exit code, after npm and every process that holds its output have ended. */
  readonly exit: Promise<number | null>;
  /** The complete output so far. */
  output(): string;
  /** Waits until the output contains a text. @throws with the output if it ends before, or after the timeout */
  printed(text: string): Promise<void>;
  /** The same as Ctrl-C in a terminal: npm and its child processes get the signal. @returns npm's exit code */
  interrupt(): Promise<number | null>;
  /** Kills npm and the start script, which cannot stop their children then. */
  kill(): Promise<void>;
  /** The processes that belong to it, found by command line, environment or working directory. */
  processes(): Promise<string[]>;
};

/** An installation that `npm start` runs, with its first deployment live. */
export type System = SystemRun & { readonly local: LocalFile; readonly api: Api };

/** A folder for an installation. Its removal also ends the processes that still use it. */
export async function createHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), "gantry-journey-"));
}

/** Ends every process that a test left running, and removes its home. */
export async function removeHome(home: string): Promise<void> {
  for (const text of await processesOf(home)) {
    const pid = Number.parseInt(text, 10);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process ended by itself.
    }
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

/** Runs `npm start` without waiting for it. */
export function runNpmStart(home: string, port: number, flags: readonly string[] = []): SystemRun {
  const child = spawn("npm", ["start", "--", "--home", home, "--port", `${port}`, ...flags], {
    cwd: root,
    // Its own process group, as in a terminal.
    detached: true,
    env: { ...process.env, GANTRY_JOURNEY_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (text += chunk));
  }
  const exit = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) throw new Error("npm did not start");
    process.kill(-child.pid, signal);
  };
  return {
    home,
    port,
    exit,
    output: () => text,
    async printed(wanted) {
      const deadline = Date.now() + START_TIMEOUT_MS;
      while (!text.includes(wanted)) {
        if (Date.now() > deadline || child.exitCode !== null)
          throw new Error(`npm start did not print "${wanted}". It printed:\n${text}`);
        await pause(50);
      }
    },
    async interrupt() {
      signalGroup("SIGINT");
      const code = await Promise.race([exit, pause(STOP_TIMEOUT_MS, "late" as const, { ref: false })]);
      if (code === "late") throw new Error(`npm start did not exit. It printed:\n${text}`);
      return code;
    },
    async kill() {
      signalGroup("SIGKILL");
      await exit;
    },
    processes: () => processesOf(home),
  };
}

/** Starts an installation and waits until its first deployment is live. */
export async function startSystem(
  home: string,
  options: { port?: number; flags?: readonly string[] } = {},
): Promise<System> {
  const run = runNpmStart(home, options.port ?? (await freePort()), options.flags);
  await run.printed(IS_UP);
  const local = LocalFile.parse(JSON.parse(await readFile(join(home, "local.json"), "utf8")));
  return { ...run, local, api: createApi(local.url, local.token) };
}
