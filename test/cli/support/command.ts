import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { buildCommand } from "../../../scripts/shared/build-command.ts";
import { eventually } from "../../support/faults/eventually.ts";

/** Of this process, as little as the command needs; nothing that says which installation. */
const { PATH = "" } = process.env;

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A call of the command that runs. */
export type Running = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until a stream has said something. */
  said(stream: "stdout" | "stderr", text: string): Promise<void>;
  readonly ended: Promise<Ended>;
};

export type CallOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly folder?: string;
  /** What comes by its pipe; it is closed at once where this is left out. */
  readonly input?: string;
  /** The pipe is left open. */
  readonly isInputOpen?: boolean;
};

/** The real command with a home of its own, called as a shell would. */
export type Desk = {
  readonly home: string;
  /** The bundled command, as it is published. */
  readonly program: string;
  start(args: readonly string[], options?: CallOptions): Running;
  run(args: readonly string[], options?: CallOptions): Promise<Ended>;
  /** In a pseudo-terminal. What it prints is all in `stdout`; `type` is what a person types. */
  inTerminal(args: readonly string[], options?: CallOptions): Running & { type(keys: string): void };
};

/** Bundles the command for the tests of a file. To be used within tests. */
export function createDesk(): Desk {
  const home = mkdtempSync(join(tmpdir(), "gantry-desk-"));
  const program = join(home, "package", "gantry.mjs");
  beforeAll(() => buildCommand(join(home, "package")));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const watch = (child: ChildProcess): Running => {
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", (error) => (stderr += `${error.message}; script is of util-linux`));
    const streams = { stdout: () => stdout, stderr: () => stderr };
    return {
      child,
      ...streams,
      said: (stream, text) =>
        eventually(
          () => `"${text}" is said; it said:\n${stdout}\n${stderr}`,
          () => streams[stream]().includes(text),
        ),
      ended: once(child, "close").then(([code]: unknown[]) => ({
        code: typeof code === "number" ? code : null,
        stdout,
        stderr,
      })),
    };
  };
  const optionsOf = ({ env = {}, folder = home }: CallOptions) => ({
    cwd: folder,
    env: { PATH, HOME: home, XDG_CONFIG_HOME: join(home, "config"), ...env },
  });
  const start: Desk["start"] = (args, options = {}) => {
    const child = spawn(process.execPath, [program, ...args], optionsOf(options));
    child.stdin.on("error", () => undefined);
    if (options.isInputOpen !== true) child.stdin.end(options.input ?? "");
    return watch(child);
  };
  return {
    home,
    program,
    start,
    run: (args, options) => start(args, options).ended,
    inTerminal(args, options = {}) {
      const { cwd, env } = optionsOf(options);
      const line = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
      // Part of util-linux, which every Debian has. It passes the command's exit code on.
      const child = spawn("script", ["-qefc", line, "/dev/null"], {
        cwd,
        env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
      });
      return { ...watch(child), type: (keys) => void child.stdin.write(keys) };
    },
  };
}

/** The JSON that a call has printed. */
export function jsonOf(text: string): unknown {
  return JSON.parse(text);
}
