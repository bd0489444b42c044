import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { type BackOff, backOffMs } from "#contract/lib/back-off.ts";
import { signalGroup } from "#node/processes.ts";

import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";

const HEALTH_INTERVAL_MS = 300;
const HEALTH_TIMEOUT_MS = 3_000;
/** Generous, because a build slows down a healthy server, and only a server that hangs is to be killed. */
const HEALTH_LIMITS_MS = { start: 60_000, silence: 10_000 };
/** Failed health checks in a row before the service is killed. One or two may be due to this process being busy. */
const MIN_MISSES = 3;
const RESTART = { firstMs: 250, longestMs: 5_000 };
const LOG_TAIL_CHARACTERS = 2_000;
/** A process that ran this long counts as working: its next restart has the shortest delay again. */
const STABLE_MS = 10_000;

export type ServiceSpec = {
  readonly name: string;
  /** The arguments of node. */
  readonly argv: readonly string[];
  /** Appended to `argv` for restarts after the first message: an earlier process has done the preparation. */
  readonly againArgv?: readonly string[];
  /** The whole environment; this process's environment by default. */
  readonly environment?: NodeJS.ProcessEnv;
  /** A file and not a pipe, so that the program can still write after this process has ended. */
  readonly logFile: string;
  /** Polled for a 200, because a live process may not respond (a stopped workerd). null: no health check. */
  readonly healthUrl: string | null;
  /** How long the first healthy response may take, and how long later ones may fail; 60 s and 10 s by default. */
  readonly healthLimitsMs?: { readonly start: number; readonly silence: number };
  /** How long the program may take to end after SIGTERM. */
  readonly stopMs: number;
  /** What `kill` sends; SIGKILL by default. */
  readonly killSignal?: "SIGTERM" | "SIGKILL";
  /** The delay before a restart, which doubles with each failure; 250 ms to 5 s by default. */
  readonly restart?: BackOff;
  readonly onPidChange: () => void;
  /** Called when the program ended by itself. It restarts in `delayMs`. */
  readonly onCrash: (how: string, delayMs: number) => void;
};

export type Service = {
  pid(): number | null;
  /** The first message of the program. Rejects with a Problem if the program ends before that. */
  readonly ready: Promise<unknown>;
  logTail(): Promise<string>;
  stop(): Promise<void>;
  /** Ends the program without waiting for it. */
  kill(): void;
};

/** Keeps a program running, in a process group of its own, until it is stopped. */
export function supervise(spec: ServiceSpec): Service {
  let child: ChildProcess | null = null;
  let isStopping = false;
  let isPrepared = false;
  const restart = spec.restart ?? RESTART;
  let crashes = 0;
  /** Processes that were killed because they stopped responding. */
  const unresponsive = new WeakSet<ChildProcess>();
  const stopped = new AbortController();
  const ready = Promise.withResolvers<unknown>();
  // Avoids an unhandled rejection if the caller does not use `ready`.
  ready.promise.catch(() => undefined);
  const logTail = async () =>
    (await readFile(spec.logFile, "utf8").catch(() => "")).trim().slice(-LOG_TAIL_CHARACTERS);

  function launch(): void {
    if (isStopping) return;
    const log = openSync(spec.logFile, "a");
    const launchedAt = performance.now();
    const argv = [...spec.argv, ...(isPrepared ? (spec.againArgv ?? []) : [])];
    const launched = spawn(process.execPath, argv, {
      cwd: root,
      env: spec.environment ?? process.env,
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    child = launched;
    launched.once("message", (message) => {
      isPrepared = true;
      ready.resolve(message);
    });
    launched.once("error", () => launched.emit("exit", 127, null));
    launched.once("exit", (code: number | null, signal: string | null) => {
      // workerd outlives a killed node, and would keep the port.
      if (launched.pid !== undefined) signalGroup(launched.pid, "SIGKILL");
      child = null;
      if (isStopping) return;
      const how = unresponsive.has(launched) ? "no response" : (signal ?? `exit code ${code}`);
      void logTail().then((tail) =>
        ready.reject(
          new Problem(`The ${spec.name} ended while starting (${how}). Its log ends with:\n${tail}`),
        ),
      );
      crashes = performance.now() - launchedAt > STABLE_MS ? 1 : crashes + 1;
      const delayMs = backOffMs(crashes, restart);
      spec.onCrash(how, delayMs);
      setTimeout(launch, delayMs);
    });
    spec.onPidChange();
    if (spec.healthUrl !== null) void watchHealth(launched, spec.healthUrl);
  }

  async function watchHealth(watched: ChildProcess, url: string): Promise<void> {
    const limitsMs = spec.healthLimitsMs ?? HEALTH_LIMITS_MS;
    let unhealthySince = performance.now();
    let allowedMs = limitsMs.start;
    let misses = 0;
    while (child === watched && !isStopping) {
      await pause(HEALTH_INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      // Counted from the first check that fails: this process may have been suspended before.
      if (misses === 0 && allowedMs === limitsMs.silence) unhealthySince = performance.now();
      if (await isHealthy(url, Math.min(HEALTH_TIMEOUT_MS, Math.floor(allowedMs / MIN_MISSES)))) {
        allowedMs = limitsMs.silence;
        misses = 0;
      } else misses += 1;
      const isHanging = misses >= MIN_MISSES && performance.now() - unhealthySince > allowedMs;
      if (!isHanging || child !== watched || isStopping) continue;
      unresponsive.add(watched);
      if (watched.pid !== undefined) signalGroup(watched.pid, "SIGKILL");
      return;
    }
  }

  const end = (signal: "SIGTERM" | "SIGKILL"): void => {
    isStopping = true;
    stopped.abort();
    if (child?.pid !== undefined) signalGroup(child.pid, signal);
  };

  launch();
  return {
    pid: () => child?.pid ?? null,
    ready: ready.promise,
    logTail,
    async stop() {
      isStopping = true;
      stopped.abort();
      const ending = child;
      if (ending === null) return;
      const hasEnded = new Promise<void>((resolve) => ending.once("exit", () => resolve()));
      ending.kill("SIGTERM");
      await Promise.race([hasEnded, pause(spec.stopMs, undefined, { ref: false })]);
      end("SIGKILL");
      await hasEnded;
    },
    kill: () => end(spec.killSignal ?? "SIGKILL"),
  };
}

async function isHealthy(url: string, timeoutMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // The local server would compress each answer.
    const response = await fetch(url, { headers: { "accept-encoding": "identity" }, signal });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
