import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { Problem } from "../shared/problem.ts";
import { killGroup } from "../shared/processes.ts";
import { root } from "../shared/root.ts";
import { type BackOff, backOffMs } from "#contract/lib/back-off.ts";

const HEALTH_INTERVAL_MS = 300;
const HEALTH_TIMEOUT_MS = 3_000;
/** A machine that is busy with a build makes a sound server slow, and only one that stands still is to be ended. */
const PATIENCE_MS = { start: 60_000, silence: 10_000 };
/** A single one may be this process's own doing. */
const LEAST_MISSES = 3;
const RESTART = { firstMs: 250, longestMs: 5_000 };
const LOG_TAIL_CHARACTERS = 2_000;
/** A process that lived this long has worked, and starts again without the delay of earlier failures. */
const STABLE_MS = 10_000;

export type ServiceSpec = {
  readonly name: string;
  /** What node is called with. */
  readonly argv: readonly string[];
  /** What follows it once a process has sent its first message: what that one has prepared need not be done again. */
  readonly againArgv?: readonly string[];
  /** All of its environment; this process's own where it is left out. */
  readonly environment?: NodeJS.ProcessEnv;
  /** A file and not a pipe: a server must be able to go on writing when this process is gone. */
  readonly logFile: string;
  /** Asked all the while for a 200; a process can be alive and yet not answer (a stopped workerd). */
  readonly healthUrl: string | null;
  /** How long it may take to answer there for the first time, and be silent after that; 60 s and 10 s by default. */
  readonly patienceMs?: { readonly start: number; readonly silence: number };
  /** How long it may take to end by itself. */
  readonly stopMs: number;
  /** The delay before it is started again, which doubles with each failure; 250 ms to 5 s where it is left out. */
  readonly restart?: BackOff;
  readonly onPidChange: () => void;
  /** It ended without being told to; it is started again in `delayMs`. */
  readonly onCrash: (how: string, delayMs: number) => void;
};

export type Service = {
  readonly name: string;
  pid(): number | null;
  /** Its first message. Rejects with a Problem when it ends before it has sent one. */
  readonly ready: Promise<unknown>;
  /** The end of what it has written. */
  logTail(): Promise<string>;
  stop(): Promise<void>;
  /** Ends it at once, without asking. */
  kill(): void;
};

/** Keeps a program running, in a process group of its own, until it is stopped. */
export function supervise(spec: ServiceSpec): Service {
  let child: ChildProcess | null = null;
  let isStopping = false;
  let isPrepared = false;
  const restart = spec.restart ?? RESTART;
  let crashes = 0;
  /** Those that were ended because they answered no more. */
  const silent = new WeakSet<ChildProcess>();
  const stopped = new AbortController();
  const ready = Promise.withResolvers<unknown>();
  // Who never asks must not be told by a rejection that nobody handles.
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
      // workerd outlives a node that was killed, and would keep the port.
      if (launched.pid !== undefined) killGroup(launched.pid);
      child = null;
      if (isStopping) return;
      const how = silent.has(launched) ? "it did not answer" : (signal ?? `exit code ${code}`);
      void logTail().then((tail) =>
        ready.reject(new Problem(`The ${spec.name} ended at its start (${how}). It says:\n${tail}`)),
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
    const patienceMs = spec.patienceMs ?? PATIENCE_MS;
    let silentSince = performance.now();
    let allowedMs = patienceMs.start;
    let misses = 0;
    while (child === watched && !isStopping) {
      await pause(HEALTH_INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      // The time before it was asked does not count: this process may have stood still itself.
      if (misses === 0 && allowedMs === patienceMs.silence) silentSince = performance.now();
      if (await isHealthy(url, Math.min(HEALTH_TIMEOUT_MS, Math.floor(allowedMs / LEAST_MISSES)))) {
        allowedMs = patienceMs.silence;
        misses = 0;
      } else misses += 1;
      const isSilent = misses >= LEAST_MISSES && performance.now() - silentSince > allowedMs;
      if (!isSilent || child !== watched || isStopping) continue;
      silent.add(watched);
      if (watched.pid !== undefined) killGroup(watched.pid);
      return;
    }
  }

  const kill = (): void => {
    isStopping = true;
    stopped.abort();
    if (child?.pid !== undefined) killGroup(child.pid);
  };

  launch();
  return {
    name: spec.name,
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
      kill();
      await hasEnded;
    },
    kill,
  };
}

async function isHealthy(url: string, timeoutMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, { signal });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
