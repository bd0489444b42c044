import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";

import type { Command, ProcessEnd } from "#build/process/command.ts";
import { followFile, type FollowOptions } from "#build/process/follow-file.ts";
import { openAmong } from "#build/process/open-files.ts";
import type { OutputFiles } from "#build/process/output-files.ts";
import { signalGroup } from "#node/processes.ts";
import {
  AFTER_KILL_MS,
  isGroupAlive,
  type ProcessId,
  startTimeOf,
  waitWhile,
} from "#build/process/process-table.ts";
import { type OutputReader, readPipe, type ReceiveChunk } from "#build/process/read-pipe.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** Where the output of a command goes. */
export type OutputSink = { readonly stdout: ReceiveChunk; readonly stderr: ReceiveChunk };

/**
 * What a command writes its output to: pipes, which close with the agent and soon after the command; files, which
 * processes can still write to after both have ended; or nothing.
 */
export type OutputChannel =
  | { readonly kind: "pipes" }
  | { readonly kind: "files"; readonly files: OutputFiles; readonly follow: FollowOptions }
  | { readonly kind: "none" };

/** Records the process groups that run, so that the next start finds them if the agent dies. */
export type GroupLedger = {
  opened(group: ProcessId): void;
  closed(group: ProcessId): void;
};

export type ProcessOptions = {
  readonly output: OutputSink;
  readonly channel: OutputChannel;
  readonly ledger: GroupLedger;
  /** Stops the command: SIGTERM, the grace period, SIGKILL, each sent to the whole group. */
  readonly signal: AbortSignal;
  /** Whether the group's other processes may continue after the command itself succeeded. */
  readonly leftovers: "kill" | "keep";
  readonly stopGraceMs: number;
  /** How long output is still read after the command has ended, while another process can write it. */
  readonly outputGraceMs: number;
};

/** `mayWrite`: whether a process that the command left running may still write to the channel's files. */
export type ProcessRun = { readonly end: ProcessEnd; readonly mayWrite: boolean };

/** Runs a command as the leader of its own process group, with /dev/null for input. Never throws. */
export async function runProcess(command: Command, options: ProcessOptions): Promise<ProcessRun> {
  const withoutStart = (end: ProcessEnd): ProcessRun => ({ end, mayWrite: false });
  if (options.signal.aborted) return withoutStart({ kind: "stopped" });
  if (statSync(command.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return withoutStart({ kind: "not_started", message: `the folder ${command.cwd} does not exist` });
  const [program, ...args] = command.argv;
  let child;
  try {
    child = spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", ...stdioOf(options.channel)],
    });
  } catch (error) {
    return withoutStart({ kind: "not_started", message: messageOf(error) });
  }
  const { pid } = child;
  if (pid === undefined) {
    const message = await new Promise<string>((resolve) =>
      child.once("error", (error) => resolve(error.message)),
    );
    return withoutStart({ kind: "not_started", message });
  }
  child.on("error", () => undefined);
  const group: ProcessId = { pid, start_time: startTimeOf(pid) };
  options.ledger.opened(group);

  const readers = openReaders(child, options);
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
  let mayStay = false;
  if (first === "aborted") {
    signalGroup(pid, "SIGTERM");
    await waitWhile(() => isGroupAlive(pid), options.stopGraceMs);
    await killGroup(pid);
    end = { kind: "stopped" };
  } else {
    end = first;
    mayStay = options.leftovers === "keep" && end.kind === "exited" && end.code === 0;
    if (!mayStay) await killGroup(pid);
  }
  // A pipe closes when no process can write to it. A file does not signal that.
  const isLeft = mayStay && isHeld(options.channel);
  const graceMs = options.channel.kind === "pipes" || isLeft ? options.outputGraceMs : 0;
  await Promise.all(readers.map((reader) => reader.finish(graceMs)));
  options.ledger.closed(group);
  // Only processes that have the files open can pass them on, and the search reads every process of the server.
  return { end, mayWrite: (isLeft || !mayStay) && isHeld(options.channel) };
}

function stdioOf(channel: OutputChannel): readonly ["pipe" | "ignore" | number, "pipe" | "ignore" | number] {
  switch (channel.kind) {
    case "pipes":
      return ["pipe", "pipe"];
    case "files":
      return [channel.files.stdout.fd, channel.files.stderr.fd];
    case "none":
      return ["ignore", "ignore"];
  }
}

function openReaders(child: ChildProcess, { channel, output }: ProcessOptions): readonly OutputReader[] {
  if (channel.kind === "files")
    return [
      followFile(channel.files.stdout, output.stdout, channel.follow),
      followFile(channel.files.stderr, output.stderr, channel.follow),
    ];
  const { stdout, stderr } = child;
  return [
    ...(stdout === null ? [] : [readPipe(stdout, output.stdout)]),
    ...(stderr === null ? [] : [readPipe(stderr, output.stderr)]),
  ];
}

/** Whether a process that the command left running may still write to the channel's files. */
function isHeld(channel: OutputChannel): boolean {
  if (channel.kind !== "files") return false;
  const { stdout, stderr } = channel.files;
  return openAmong([stdout.path, stderr.path])?.size !== 0;
}

async function killGroup(group: number): Promise<void> {
  if (!isGroupAlive(group)) return;
  signalGroup(group, "SIGKILL");
  await waitWhile(() => isGroupAlive(group), AFTER_KILL_MS);
}
