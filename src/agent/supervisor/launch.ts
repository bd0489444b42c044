import { spawn } from "node:child_process";
import { appendFileSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { type ProcessId, startTimeOf } from "#build/process/process-table.ts";
import { SUPERVISED_MARKER } from "#agent/supervisor/members.ts";
import type { InstanceBody, InstanceExitBody } from "#agent/supervisor/protocol.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { attempt } from "#node/attempt.ts";

/** A started instance. `leader` is null if it could not be started; `ended` gives null if the exit is unknown. */
export type Launched = {
  readonly leader: ProcessId | null;
  readonly ended: Promise<InstanceExitBody | null>;
};

/** The exit code of a shell whose command does not exist. */
const NOT_STARTED: InstanceExitBody = { code: 127, signal: null };

/**
 * Starts a command as the leader of a session of its own, with its output appended to a file. A pipe would end with the
 * supervisor. Never throws.
 */
export function launch(command: InstanceBody["command"], marker: string, logFile: string): Launched {
  const fail = (reason: string): InstanceExitBody => {
    attempt(() => appendFileSync(logFile, `gantry: the process could not be started: ${reason}\n`), null);
    return NOT_STARTED;
  };
  // On a full disk the app is more important than its output.
  const log = attempt(() => openLog(logFile), null);
  try {
    if (statSync(command.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      return notStarted(fail(`the folder ${command.cwd} does not exist`));
    const [program, ...args] = command.argv;
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: { ...command.env, [SUPERVISED_MARKER]: marker },
      detached: true,
      stdio: ["ignore", log ?? "ignore", log ?? "ignore"],
    });
    const { pid } = child;
    const ended = new Promise<InstanceExitBody>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      child.on("error", (error) => {
        if (pid === undefined) resolve(fail(error.message));
      });
    });
    return { leader: pid === undefined ? null : { pid, start_time: startTimeOf(pid) }, ended };
  } catch (error) {
    return notStarted(fail(messageOf(error)));
  } finally {
    if (log !== null) closeSync(log);
  }
}

function notStarted(exit: InstanceExitBody): Launched {
  return { leader: null, ended: Promise.resolve(exit) };
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The app may have put something else in its place: a pipe, which would block the supervisor of all apps, or a link.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
}
