import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { eventually } from "../../support/faults/eventually.ts";
import { CommandShare } from "../../support/shared-command.ts";
import { requestShare } from "../../support/shared-installations.ts";

/** The only variable of this process that the command gets: nothing that names an installation. */
const { PATH = "" } = process.env;

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A running call of the command. */
export type Running = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until a stream contains a text. */
  printed(stream: "stdout" | "stderr", text: string): Promise<void>;
  readonly ended: Promise<Ended>;
};

export type CallOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly folder?: string;
  /** Written to stdin, which is then closed. Empty by default. */
  readonly input?: string;
  /** Leaves stdin open, without input. */
  readonly isInputOpen?: boolean;
};

/** Runs the bundled command with its own home directory, as a shell would. */
export type Cli = {
  readonly home: string;
  /** The path of the bundled command, as it is published. */
  readonly program: string;
  start(args: readonly string[], options?: CallOptions): Running;
  run(args: readonly string[], options?: CallOptions): Promise<Ended>;
  /** Runs it in a pseudo-terminal: all output is in `stdout`, and `type` sends keys. */
  inTerminal(args: readonly string[], options?: CallOptions): Running & { type(keys: string): void };
};

/** Prepares the command for the tests of one file. Call it at the top level of the file. */
export function createCli(): Cli {
  const home = mkdtempSync(join(tmpdir(), "gantry-cli-"));
  let command: CommandShare | null = null;
  beforeAll(async () => {
    command = CommandShare.parse(await requestShare("/command"));
  });
  const bundled = (): CommandShare => {
    if (command === null) throw new Error("call this in a test");
    return command;
  };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const watch = (child: ChildProcess): Running => {
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", (error) => (stderr += `${error.message}; script is part of util-linux`));
    const streams = { stdout: () => stdout, stderr: () => stderr };
    return {
      child,
      ...streams,
      printed: (stream, text) =>
        eventually(
          () => `"${text}" is printed; the output is:\n${stdout}\n${stderr}`,
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
    env: {
      PATH,
      HOME: home,
      // Otherwise the tests would write to the keyring of the person who runs them.
      GANTRY_KEYRING: "off",
      XDG_CONFIG_HOME: join(home, "config"),
      NODE_COMPILE_CACHE: bundled().compileCache,
      ...env,
    },
  });
  const start: Cli["start"] = (args, options = {}) => {
    const child = spawn(process.execPath, [bundled().program, ...args], optionsOf(options));
    child.stdin.on("error", () => undefined);
    if (options.isInputOpen !== true) child.stdin.end(options.input ?? "");
    return watch(child);
  };
  return {
    home,
    get program() {
      return bundled().program;
    },
    start,
    run: (args, options) => start(args, options).ended,
    inTerminal(args, options = {}) {
      const { cwd, env } = optionsOf(options);
      const line = [process.execPath, bundled().program, ...args].map((word) => `'${word}'`).join(" ");
      // Part of util-linux, which every Debian has. With -e it returns the command's exit code.
      const child = spawn("script", ["-qefc", line, "/dev/null"], {
        cwd,
        env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
      });
      return { ...watch(child), type: (keys) => void child.stdin.write(keys) };
    },
  };
}

/** Parses the JSON that a call printed. */
export function jsonOf(text: string): unknown {
  return JSON.parse(text);
}
