import { constants as fileFlags, openSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";

import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { callHelper, type HelperAnswer, type HelperCall, refusalOf } from "#agent/isolation/helper.ts";
import type { ProjectUsers } from "#agent/isolation/isolation.ts";
import { jobScript } from "#agent/isolation/job-script.ts";
import type { Command, ProcessEnd } from "#build/process/command.ts";
import { followFile, type FollowOptions } from "#build/process/follow-file.ts";
import { nextOutputNumber, openOutputFiles, type OutputFiles } from "#build/process/output-files.ts";
import { type OutputReader, readPipe } from "#build/process/read-pipe.ts";
import type { OutputSink } from "#build/process/run-process.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The resources that a unit may use. */
export type UnitLimits = {
  /** `null`: no limit. */
  readonly memoryMb: number | null;
  readonly cpuWeight: number;
  readonly tasks: number;
};

/** The limits as the isolation helper takes them. */
export const helperLimits = ({ memoryMb, cpuWeight, tasks }: UnitLimits) => ({
  memory_mb: memoryMb,
  cpu_weight: cpuWeight,
  tasks,
});

/**
 * The unit that a command runs in. `cache`: it sees the project's cache too, and is otherwise as a build. `job`: a one-off
 * command or a run of a cron job, which ends with all of its processes and is independent of deployments. `marker` identifies the run.
 */
export type Unit = {
  readonly kind: "build" | "cache" | "command" | "job";
  readonly project: ProjectId;
  readonly version: number;
  /** Tells the units of a release apart. Omitted: the next number that no output file of the release has. */
  readonly number?: number;
  readonly marker: string;
  readonly limits: UnitLimits;
};

export type IsolatedOptions = {
  readonly users: ProjectUsers & { readonly socketPath: string };
  readonly unit: Unit;
  readonly output: OutputSink;
  /** The folder of the files that a command of the kind `command` writes to. */
  readonly outputFolder: string;
  readonly follow: FollowOptions;
  /** Stops the command, with SIGTERM and after 10 s SIGKILL to every process of the unit. */
  readonly signal: AbortSignal;
  readonly outputGraceMs: number;
};

const STOP_AGAIN_MS = 250;

/**
 * Runs a command as its project's user, in a unit of systemd. A build's processes are all ended with it; processes of a
 * command may continue if the command succeeded. Never throws.
 */
export async function runIsolated(command: Command, options: IsolatedOptions): Promise<ProcessEnd> {
  const { unit, signal, users, outputFolder } = options;
  if (signal.aborted) return { kind: "stopped" };
  const job = jobScript(command);
  const number = unit.number ?? nextOutputNumber(outputFolder, String(unit.version));
  const { kind, project, version, marker, limits } = unit;
  const engine = command.engine === undefined ? {} : { engine: command.engine };
  const request = { verb: "run", kind, project, version, ...engine, number, marker } as const;
  const job_bytes = Buffer.byteLength(job);
  const call = callHelper(users.socketPath, { ...request, ...helperLimits(limits), job_bytes }, job);
  try {
    return await runUnit(call, number, options);
  } catch (error) {
    return { kind: "not_started", message: messageOf(error) };
  } finally {
    call.close();
  }
}

async function runUnit(call: HelperCall, number: number, options: IsolatedOptions): Promise<ProcessEnd> {
  const { unit, signal, users } = options;
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  // The helper may take long for many files. Without this connection, it starts nothing.
  const opened = await Promise.race([call.nextLine(), aborted]);
  if (opened === "aborted") return { kind: "stopped" };
  if (opened === null) return { kind: "not_started", message: call.problem };
  const folder = /^output (\/.*)$/.exec(opened)?.[1];
  if (folder === undefined) return { kind: "not_started", message: refusalOf(opened) ?? opened };
  if (signal.aborted) return { kind: "stopped" };
  const { readers, files } = openReaders(folder, `${unit.version}-${number}`, options);
  call.send("go\n");
  const ending = call.nextLine();
  let hasEnded = false;
  void ending.then(() => (hasEnded = true));
  const stopUnit = () => stop(users, unit);
  const stopUntilEnded = async (): Promise<void> => {
    // Repeated, because the helper may not have started the unit yet.
    while (!hasEnded) {
      await stopUnit();
      await Promise.race([ending, pause(STOP_AGAIN_MS)]);
    }
  };
  const onAbort = () => void stopUntilEnded();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const line = await ending;
  signal.removeEventListener("abort", onAbort);

  const end = readEnd(line ?? "", unit.limits);
  // A pipe closes with its last writer. A file does not signal that.
  const graceMs = unit.kind !== "command" || end?.isLeft === true ? options.outputGraceMs : 0;
  await Promise.all(readers.map((reader) => reader.finish(graceMs)));
  if (end?.isLeft === true) files?.close();
  else files?.remove();
  if (signal.aborted) return { kind: "stopped" };
  if (end !== null) return end.end;
  // The helper has ended without an answer, and its unit may still run.
  await stopUnit();
  if (line === null) return { kind: "lost", message: call.problem };
  return { kind: "not_started", message: refusalOf(line) ?? line };
}

function stop(users: ProjectUsers, { kind, project, marker }: Unit): Promise<HelperAnswer> {
  switch (kind) {
    case "build":
    case "cache":
      return users.stopBuild(project);
    case "command":
      return users.endCommands(project, { kind: "run", marker });
    case "job":
      return users.endCommands(project, { kind: "job", marker });
  }
}

function openReaders(
  folder: string,
  name: string,
  { unit, output, follow }: IsolatedOptions,
): { readonly readers: readonly OutputReader[]; readonly files: OutputFiles | null } {
  if (unit.kind !== "command")
    return {
      readers: [
        readPipe(openPipe(join(folder, "stdout")), output.stdout),
        readPipe(openPipe(join(folder, "stderr")), output.stderr),
      ],
      files: null,
    };
  const files = openOutputFiles(folder, name);
  return {
    readers: [
      followFile(files.stdout, output.stdout, follow),
      followFile(files.stderr, output.stderr, follow),
    ],
    files,
  };
}

/** The helper holds the pipe's other end open until the unit has ended, so opening does not wait. */
function openPipe(path: string): Socket {
  const fd = openSync(path, fileFlags.O_RDONLY | fileFlags.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

type UnitEnd = { readonly end: ProcessEnd; readonly isLeft: boolean };

/** The codes of waitid(2). */
const EXITED = "1";

/** Reads `end <result> <code> <status> <left>`; `null` for any other line. */
export function readEnd(line: string, limits: Pick<UnitLimits, "memoryMb">): UnitEnd | null {
  const [, result, code, status, left] = /^end (\S+) (\d) (\d+) (yes|no)$/.exec(line) ?? [];
  if (result === undefined || status === undefined) return null;
  const isLeft = left === "yes";
  if (result === "oom-kill") return { end: { kind: "out_of_memory", limitMb: limits.memoryMb }, isLeft };
  if (code === EXITED) return { end: { kind: "exited", code: Number(status) }, isLeft };
  return { end: { kind: "killed", signal: signalName(Number(status)) }, isLeft };
}

function signalName(number: number): string {
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return name ?? `signal ${number}`;
}
