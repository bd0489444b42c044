import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { LocalFile } from "../../scripts/start/local-file.ts";
import { type Api, createApi } from "./journey-api.ts";
import { processesOf } from "./journey-processes.ts";

const root = resolve(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 25_000;

/** An installation as `npm start` runs it, with its first deployment live. */
export type System = {
  readonly home: string;
  readonly port: number;
  readonly local: LocalFile;
  readonly api: Api;
  /** All that it has printed. */
  output(): string;
  /** The same as Ctrl-C in a terminal: the signal goes to npm and to what npm runs. @returns npm's exit code */
  interrupt(): Promise<number | null>;
  /** The processes that belong to it, by any trace that they carry. */
  processes(): Promise<string[]>;
};

/** A folder for an installation, removed together with everything that still runs in it. */
export async function createHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), "gantry-journey-"));
}

/** Ends whatever a test left running, and removes its home. */
export async function removeHome(home: string): Promise<void> {
  for (const text of await processesOf(home)) {
    const pid = Number.parseInt(text, 10);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

export type SystemRun = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
};

/** Calls `npm start` and waits for nothing. */
export function runNpmStart(home: string, port: number, flags: readonly string[] = []): SystemRun {
  const child = spawn("npm", ["start", "--", "--home", home, "--port", `${port}`, ...flags], {
    cwd: root,
    // A group of its own, as a terminal gives it one.
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
  return { child, output: () => text, exit };
}

/** Starts an installation and waits until its first deployment is live. */
export async function startSystem(
  home: string,
  options: { port?: number; flags?: readonly string[] } = {},
): Promise<System> {
  const port = options.port ?? (await freePorts());
  const run = runNpmStart(home, port, options.flags);
  const local = await waitUntilUp(home, run);
  return {
    home,
    port,
    local,
    api: createApi(local.url, local.token),
    output: run.output,
    processes: () => processesOf(home),
    async interrupt() {
      if (run.child.pid === undefined) throw new Error("npm did not start");
      process.kill(-run.child.pid, "SIGINT");
      const code = await Promise.race([run.exit, pause(STOP_TIMEOUT_MS, "late" as const, { ref: false })]);
      if (code === "late") throw new Error(`It does not end. It printed:\n${run.output()}`);
      return code;
    },
  };
}

async function waitUntilUp(home: string, run: SystemRun): Promise<LocalFile> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && run.child.exitCode === null) {
    // The last thing that a start prints; local.json of an earlier start may still be there.
    if (run.output().includes("Ctrl-C ends everything"))
      return LocalFile.parse(JSON.parse(await readFile(join(home, "local.json"), "utf8")));
    await pause(50);
  }
  throw new Error(`npm start did not come up. It printed:\n${run.output()}`);
}

/** A port with some free ones after it, for the sites. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const isFree = await Promise.all([port, port + 1, port + 2].map(canListen));
    if (isFree.every(Boolean)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}
