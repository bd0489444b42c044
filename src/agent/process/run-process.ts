import { spawn } from "node:child_process";
import { statSync } from "node:fs";

import { pause } from "#agent/pause.ts";
import type { Command, ProcessEnd } from "#agent/process/command.ts";
import { isGroupAlive, type ProcessGroup, signalGroup, startTimeOf } from "#agent/process/process-table.ts";
import { readPipe } from "#agent/process/read-pipe.ts";
import { reasonOf } from "#agent/reason-of.ts";

/** What a command writes. A promise in return holds its pipe until there is room again. */
export type OutputSink = {
  readonly stdout: (chunk: Buffer) => Promise<void> | null;
  readonly stderr: (chunk: Buffer) => Promise<void> | null;
};

/** Keeps note of the groups that run, so that they are found even if the agent dies. */
export type GroupLedger = {
  opened(group: ProcessGroup): void;
  closed(group: ProcessGroup): void;
};

export type ProcessOptions = {
  readonly output: OutputSink;
  readonly ledger: GroupLedger;
  /** Ends the command: SIGTERM, the grace, SIGKILL, each to the whole group. */
  readonly signal: AbortSignal;
  /** What of the group may go on after the command itself has ended by itself with success. */
  readonly leftovers: "kill" | "keep";
  readonly stopGraceMs: number;
  readonly pipeGraceMs: number;
};

const GROUP_POLL_MS = 15;
/** A process that even SIGKILL does not end hangs in the kernel; nothing more can be done about it. */
const AFTER_KILL_MS = 5_000;

/** Runs a command as the leader of its own process group, with /dev/null for input. Never throws. */
export async function runProcess(command: Command, options: ProcessOptions): Promise<ProcessEnd> {
  if (options.signal.aborted) return { kind: "stopped" };
  if (!isFolder(command.cwd)) return { kind: "not_started", message: `there is no folder ${command.cwd}` };
  const [program, ...args] = command.argv;
  let child;
  try {
    child = spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return { kind: "not_started", message: reasonOf(error) };
  }
  const { pid } = child;
  if (pid === undefined) {
    const message = await new Promise<string>((resolve) =>
      child.once("error", (error) => resolve(error.message)),
    );
    return { kind: "not_started", message };
  }
  child.on("error", () => undefined);
  const group: ProcessGroup = { pid, start_time: startTimeOf(pid) };
  options.ledger.opened(group);

  const pipes = [
    readPipe(child.stdout, options.output.stdout),
    readPipe(child.stderr, options.output.stderr),
  ];
  const exit = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(code === null ? { kind: "killed", signal: signal ?? "unknown" } : { kind: "exited", code }),
    );
  });
  const ended = new AbortController();
  const aborted = new Promise<"aborted">((resolve) => {
    const { signal } = ended;
    options.signal.addEventListener("abort", () => resolve("aborted"), { once: true, signal });
  });

  const first = await Promise.race([exit, aborted]);
  ended.abort();
  let end: ProcessEnd;
  if (first === "aborted") {
    signalGroup(pid, "SIGTERM");
    await waitUntilGone(pid, options.stopGraceMs);
    await killGroup(pid);
    end = { kind: "stopped" };
  } else {
    end = first;
    const mayStay = options.leftovers === "keep" && end.kind === "exited" && end.code === 0;
    if (!mayStay) await killGroup(pid);
  }
  await Promise.all(pipes.map((pipe) => pipe.finish(options.pipeGraceMs)));
  options.ledger.closed(group);
  return end;
}

async function killGroup(group: number): Promise<void> {
  if (!isGroupAlive(group)) return;
  signalGroup(group, "SIGKILL");
  await waitUntilGone(group, AFTER_KILL_MS);
}

async function waitUntilGone(group: number, longestMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestMs && isGroupAlive(group); waitedMs += GROUP_POLL_MS)
    await pause(GROUP_POLL_MS);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
